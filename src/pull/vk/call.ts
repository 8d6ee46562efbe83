// Calls of VK's API that read: parameters as a form, the answer in `response` or `error`, status 200 for both.

import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { readRetryAfter } from '../../http/retry-after.ts';
import type { Reply, Transport } from '../../http/transport.ts';
import { SourceError } from '../source-error.ts';

const version = '5.199';
const timeoutMs = 30_000;
/** For a call that VK refused for its pace: somebody else may use the same token. */
const tries = 5;
const pauseMs = 400;

/** What calls to VK are made with. */
export interface VkAccess {
  readonly transport: Transport;
  readonly baseUrl: string;
  readonly token: string;
  readonly signal: AbortSignal;
  readonly beforeCall: () => Promise<void>;
}

export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | ({ readonly ok: false } & WallFault);

export interface WallFault {
  readonly error: SourceError;
  /** Whether other walls may still be read. */
  readonly isOfWall: boolean;
  /** Whether there was no answer: VK is away, or this wall keeps it busy. */
  readonly isAway?: boolean | undefined;
}

type Refused = Extract<Answer<never>, { ok: false }>;

const Taken = z.object({ response: z.unknown() });
const Refusal = z.object({
  error: z.object({ error_code: z.int(), error_msg: z.string().default('') }),
});

export async function callVk<Schema extends z.ZodType>(
  access: VkAccess,
  method: string,
  parameters: Readonly<Record<string, string | number>>,
  response: Schema,
): Promise<Answer<z.output<Schema>>> {
  for (let n = 1; ; n += 1) {
    const reply = await send(access, method, parameters);
    access.signal.throwIfAborted();
    if (reply.kind !== 'answered') return away(`VK cannot be reached: ${reply.reason}`);
    const body = parsed(reply.body);
    const taken = response.safeParse(Taken.safeParse(body).data?.response);
    if (taken.success) return { ok: true, value: taken.data };
    const { error: refusal } = Refusal.safeParse(body).data ?? {};
    if (refusal === undefined) return unknownAnswer(reply);
    if (refusal.error_code !== 6 || n === tries) {
      return refused(refusal.error_code, refusal.error_msg);
    }
    await wait(pauseMs, undefined, { signal: access.signal });
  }
}

async function send(
  { transport, baseUrl, token, signal, beforeCall }: VkAccess,
  method: string,
  parameters: Readonly<Record<string, string | number>>,
): Promise<Reply> {
  await beforeCall();
  const given = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const);
  return transport.send({
    method: 'POST',
    url: `${baseUrl}/method/${method}`,
    body: { form: { ...Object.fromEntries(given), access_token: token, v: version } },
    timeoutMs,
    signal,
    secrets: [token],
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function away(message: string, retryAfterMs?: number): Refused {
  const options = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { ok: false, error: new SourceError(message, options), isOfWall: false, isAway: true };
}

function unknownAnswer({ status, headers }: Extract<Reply, { kind: 'answered' }>): Refused {
  const words = `VK answers with status ${status}`;
  if (status === 200) {
    const error = new SourceError(`${words} in a form that is not known`);
    return { ok: false, error, isOfWall: true };
  }
  return away(words, readRetryAfter(headers['retry-after'], new Date()));
}

interface Row {
  readonly hint?: string;
  readonly retryAfterMs?: number;
  readonly isOfWall?: boolean;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const newToken: Row = {
  hint: 'replace the token of the credential; outrider auth check says more',
};
const askPerson: Row = {
  hint: 'let the owner of the token sign in to VK and do what VK asks there',
};
const ofWall: Row = {
  isOfWall: true,
  hint: 'take the wall out of owners, or let the token read it',
};
const noWall: Row = {
  isOfWall: true,
  hint: 'correct the wall in owners: a number, club123 or a short name',
};

/** What VK's codes mean for a source. An unknown code is tried again later, as any failure is. */
const rows: Readonly<Record<number, Row>> = {
  2: newToken,
  4: newToken,
  5: newToken,
  6: { retryAfterMs: minuteMs },
  9: { retryAfterMs: 30 * minuteMs },
  14: askPerson,
  15: ofWall,
  17: askPerson,
  18: ofWall,
  19: ofWall,
  24: askPerson,
  27: { hint: 'a community token cannot read walls: take the token of a user or a service token' },
  28: { hint: 'a service token cannot do this: take the token of a user' },
  // The quota of a day. It is counted by token, so all walls wait.
  29: { retryAfterMs: 3 * hourMs },
  30: ofWall,
  42: newToken,
  100: noWall,
  113: noWall,
  125: noWall,
  200: ofWall,
  203: ofWall,
  1051: { hint: 'tokens of VK ID do not work here: take the token of a user or a service token' },
  1116: newToken,
  1117: newToken,
  3609: newToken,
  3610: newToken,
};

function refused(code: number, words: string): Refused {
  const { hint, retryAfterMs, isOfWall = false } = rows[code] ?? {};
  const error = new SourceError(
    `VK answers with error ${code}, ${words.slice(0, 300).toWellFormed()}`,
    {
      ...(hint === undefined ? {} : { hint }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  );
  return { ok: false, error, isOfWall };
}
