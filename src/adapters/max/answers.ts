// The answer table of MAX: what its replies mean. Refusals are told by a code, now and then with status
// 200, or by a flag; their texts are documented nowhere, so they decide only where no code does.

import { z } from 'zod';
import { outcomeUnknown, type SendError } from '../adapter.ts';
import {
  judgeStatus,
  maybeSent,
  noAnswer,
  parseJson,
  permanent,
  rawAnswer,
  retryAfter,
  transient,
} from '../answer.ts';
import type { Answered, Reply } from '../transport.ts';

/** What a call is for decides what its failure means. */
export type Purpose = 'send' | 'change' | 'read' | 'upload';

export type Judged<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: SendError };

/** No answer of MAX has ever said how long to wait; less than this is of no use. */
const shortestWaitMs = 1000;
const longestWaitMs = 24 * 3_600_000;

type Row = 'closed' | 'missing' | 'refused' | 'not_ready' | 'too_fast' | 'unclear';

const rows: Readonly<Record<string, Row>> = {
  'verify.token': 'closed',
  'access.denied': 'closed',
  'chat.denied': 'closed',
  'account.blocked': 'closed',
  'chat.not.found': 'closed',
  'dialog.not.found': 'closed',
  'not.found': 'missing',
  'proto.payload': 'refused',
  // The flag of a logical failure, under a code of our own.
  success_false: 'refused',
  'upload.error': 'refused',
  'attachment.not.ready': 'not_ready',
  'attachment.not.supported': 'refused',
  'too.many.requests': 'too_fast',
  'internal.error': 'unclear',
  'service.unavailable': 'unclear',
};

/** Keys that come as text, under codes that are not known or not to be relied on. */
const keys: readonly (readonly [string, string])[] = [
  ['.not.supported', 'attachment.not.supported'],
  ['.not.processed', 'attachment.not.ready'],
  ['error.dialog.notfound', 'dialog.not.found'],
];

/** What else stands there may be anything, and codes go into the record. */
const isCode = /^[\w.-]{1,64}$/;

interface Refusal {
  readonly code: string;
  readonly told: string;
  readonly row: Row;
}

const readFailed = 'read_failed';
export const uploadFailed = 'upload_failed';

const text = z.string().nullish();
const flagShape = z
  .object({ success: z.literal(false), message: text.catch(undefined) })
  .transform(({ message }) => ({ code: 'success_false', message, error: undefined }));
/** A sent message comes as an object of that name: with one, a code is no error. */
const errorShape = z.object({
  code: z.union([z.string().min(1), z.number()]),
  message: text,
  error: text.catch(undefined),
});
const wordsShape = z.object({ message: z.string() });

/** The answer as its shape reads it, or what went wrong. */
export function judge<Shape extends z.ZodType>(
  reply: Reply,
  purpose: Purpose,
  shape: Shape,
  now: Date,
): Judged<z.output<Shape>> {
  if (reply.kind !== 'answered') return failed(unlessSent(noAnswer(reply), purpose));
  const refusal = refusalOf(reply);
  if (refusal !== undefined) return failed(errorOf(refusal, reply, purpose, now));
  if (reply.status < 200 || reply.status > 299) return failed(byStatus(reply, purpose, now));
  const read = shape.safeParse(parseJson(reply.body));
  if (read.success) return { ok: true, value: read.data };
  const words = 'the answer is in a form that is not known';
  // What other people wrote in the chat is none of the record's business.
  return failed(purpose === 'read' ? transient(readFailed, words) : unclear(words, reply, purpose));
}

function failed(error: SendError): { readonly ok: false; readonly error: SendError } {
  return { ok: false, error };
}

function refusalOf(answer: Answered): Refusal | undefined {
  const body = parseJson(answer.body);
  const error = flagShape.safeParse(body).data ?? errorShape.safeParse(body).data;
  const told = error?.message ?? error?.error ?? wordsShape.safeParse(body).data?.message ?? '';
  const named = error === undefined || isCode.test(`${error.code}`) ? error?.code : answer.status;
  const code = (keys.find(([key]) => told.includes(key))?.[1] ?? named)?.toString();
  const row = rowOf(answer.status, code);
  return code === undefined || row === undefined ? undefined : { code, told, row };
}

/** The status before the code where it says more: a server that failed does not know what it did. */
function rowOf(status: number, code: string | undefined): Row | undefined {
  if (status >= 500 || status === 408) return 'unclear';
  if (status === 429) return 'too_fast';
  const known = code === undefined || !Object.hasOwn(rows, code) ? undefined : rows[code];
  if (known !== undefined) return known;
  if (status === 401 || status === 403) return 'closed';
  if (status === 404) return 'missing';
  if (status >= 400) return 'refused';
  // A code that nobody has seen, with a status of success or from something in between.
  return status < 300 ? 'unclear' : undefined;
}

function errorOf(
  { code, told, row }: Refusal,
  answer: Answered,
  purpose: Purpose,
  now: Date,
): SendError {
  const message = sentence(code, told);
  const raw = rawAnswer(answer);
  switch (row) {
    case 'closed':
      return permanent(code, message, { scope: 'channel', raw });
    case 'missing':
      return permanent(code, message, { scope: scopeOfMissing(purpose), raw });
    case 'refused':
      return permanent(code, message, { raw });
    case 'not_ready':
      return transient(code, message, { raw });
    case 'too_fast':
      return transient(code, message, { scope: 'platform', raw, retryAfterMs: wait(answer, now) });
    case 'unclear':
      break;
  }
  return unclear(message, answer, purpose);
}

function sentence(code: string, told: string): string {
  // Half a character at the end is none that the record takes.
  return told === ''
    ? `MAX says ${code}`
    : `MAX says ${code}: ${told.slice(0, 500).toWellFormed()}`;
}

/** What a send does not find is the chat; what a change does not find is the message. */
function scopeOfMissing(purpose: Purpose): SendError['scope'] {
  return purpose === 'send' ? 'channel' : 'delivery';
}

function byStatus(answer: Answered, purpose: Purpose, now: Date): SendError {
  const error = unlessSent(judgeStatus(answer, now), purpose);
  if (answer.status === 429) return { ...error, retryAfterMs: wait(answer, now) };
  return answer.status === 404 ? { ...error, scope: scopeOfMissing(purpose) } : error;
}

/** How long to stay away. */
export function wait(answer: Answered, now: Date): number {
  const asked = retryAfter(answer, now).retryAfterMs ?? 0;
  return Math.min(longestWaitMs, Math.max(shortestWaitMs, asked));
}

function unclear(message: string, answer: Answered, purpose: Purpose): SendError {
  return unlessSent(maybeSent(message, rawAnswer(answer)), purpose);
}

/** Reading and uploading put nothing into a chat, so that nothing can have arrived. */
function unlessSent(error: SendError, purpose: Purpose): SendError {
  if (error.code !== outcomeUnknown || purpose === 'send' || purpose === 'change') return error;
  return { ...error, code: purpose === 'read' ? readFailed : uploadFailed };
}
