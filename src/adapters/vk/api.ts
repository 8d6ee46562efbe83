// Calls of VK's API methods: https://api.vk.com/method/<name>, parameters as a form, the answer in
// `response` or `error`, status 200 for both.

import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Transport } from '../../http/transport.ts';
import type { SendError } from '../adapter.ts';
import { judgeStatus, noAnswer, readAnswer } from '../answer.ts';
import type { Caller } from '../caller.ts';
import { sendPaced } from '../paced.ts';
import { judgeRefusal } from './answers.ts';

const version = '5.199';

export interface VkApiOptions {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly timeoutMs: number;
  readonly uploadTimeoutMs: number;
  /** How long to wait before a call is repeated that VK has not carried out. */
  readonly pauseMs: number;
  now(): Date;
}

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  /** `said` is VK's own code, if it gave one. */
  | { readonly ok: false; readonly error: SendError; readonly said?: number };

export type Parameters = Readonly<Record<string, string | number | undefined>>;

const Taken = z.object({ response: z.unknown() });
const words = z.string().transform((text) => text.slice(0, 1000).toWellFormed());
/** What is kept of a refusal. Not `request_params`: it repeats the whole post. */
const Refused = z.object({
  error: z.object({
    error_code: z.int().positive(),
    error_msg: words.default(''),
    error_subcode: z.int().optional().catch(undefined),
    error_text: words.optional().catch(undefined),
    captcha_sid: words.optional().catch(undefined),
    captcha_img: words.optional().catch(undefined),
    redirect_uri: words.optional().catch(undefined),
    confirmation_text: words.optional().catch(undefined),
  }),
});

export interface VkApi {
  readonly options: VkApiOptions;
  /** The response as the schema reads it, or what the answer means. */
  call<Schema extends z.ZodType>(
    caller: Caller,
    method: string,
    parameters: Parameters,
    response: Schema,
  ): Promise<Answer<z.output<Schema>>>;
}

export function createVkApi(options: VkApiOptions): VkApi {
  const { baseUrl, transport } = options;
  return {
    options,
    async call(caller, method, parameters, response) {
      const form = { ...given(parameters), access_token: caller.token, v: version };
      const counted = { messages: method === 'wall.post' ? 1 : 0 };
      const reply = await sendPaced(transport, caller.beforeCall, counted, {
        method: 'POST',
        url: `${baseUrl}/method/${method}`,
        body: { form },
        timeoutMs: caller.timeoutMs ?? options.timeoutMs,
        silenceMs: caller.timeoutMs,
        signal: caller.signal,
        holds: caller.holds,
        onAnswer: caller.onAnswer,
        secrets: [caller.token],
      });
      if (reply.kind !== 'answered') return { ok: false, error: noAnswer(reply) };
      const read = response.safeParse(readAnswer(reply, Taken)?.response);
      if (read.success) return { ok: true, value: read.data };
      const refused = readAnswer(reply, Refused);
      if (refused === undefined) return { ok: false, error: judgeStatus(reply, options.now()) };
      const { error_code: said } = refused.error;
      return { ok: false, error: judgeRefusal(refused.error, options.now()), said };
    },
  };
}

function given(parameters: Parameters): Record<string, string> {
  const entries = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return Object.fromEntries(entries);
}

const tries = 5;

/**
 * Repeats a call that VK refused because of its pace: somebody else may use the same token, and to give up now would
 * waste the calls that the send has already made. Each repeat is a call like any other, with a slot of its own.
 */
export async function withRetry<T>(
  { options }: VkApi,
  { signal }: Caller,
  call: () => Promise<Answer<T>>,
): Promise<Answer<T>> {
  let answer = await call();
  for (let n = 1; n < tries && !answer.ok && answer.said === 6; n += 1) {
    // The signal ends the wait early; the transport then says that the send was stopped.
    await wait(options.pauseMs, undefined, { signal }).catch(() => undefined);
    answer = await call();
  }
  return answer;
}
