// The answer table of MAX: what its replies mean. MAX refuses with a code, now and then under status 200, or with a
// flag. The texts of its refusals are documented nowhere, so only a few keys in them count (`keys`).

import { z } from 'zod';
import type { Answered, Reply } from '../../http/transport.ts';
import type { SendError } from '../adapter.ts';
import {
  asksToComeBack,
  judgeStatus,
  noAnswer,
  parseJson,
  rawAnswer,
  recoded,
  retryAfter,
  sendError,
} from '../answer.ts';
import type { ErrorCode } from '../error-codes.ts';

/** What a call is for decides what its failure means. */
export type Purpose = 'send' | 'change' | 'read' | 'upload';

export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  /** `said` is MAX's own code, or the status if that code is unusable; missing if MAX gave none. */
  | { readonly ok: false; readonly error: SendError; readonly said?: string };

/** No answer of MAX has ever said how long to wait. A shorter wait than this is of no use. */
const shortestWaitMs = 1000;
const longestWaitMs = 24 * 3_600_000;

/** What MAX's own codes mean to a send or a change. */
export const answerTable: Readonly<Record<string, ErrorCode>> = {
  'verify.token': 'credential_refused',
  'account.blocked': 'credential_refused',
  'access.denied': 'not_allowed',
  'chat.denied': 'not_allowed',
  'chat.not.found': 'chat_not_found',
  'dialog.not.found': 'chat_not_found',
  'not.found': 'message_not_found',
  'proto.payload': 'validation_failed',
  'upload.error': 'validation_failed',
  'attachment.not.supported': 'validation_failed',
  // The flag of a logical failure, under a name of our own.
  success_false: 'refused',
  'attachment.not.ready': 'media_not_ready',
  'too.many.requests': 'rate_limited',
  'internal.error': 'outcome_unknown',
  'service.unavailable': 'outcome_unknown',
};

/** Keys that come in the text, under codes that are unknown or unreliable. */
const keys: readonly (readonly [string, string])[] = [
  ['.not.supported', 'attachment.not.supported'],
  ['.not.processed', 'attachment.not.ready'],
  ['error.dialog.notfound', 'dialog.not.found'],
];

/** Anything else in the place of a code may be any text, and codes go into the record. */
const isCode = /^[\w.-]{1,64}$/;

interface Refusal {
  /** MAX's own code, or the status. */
  readonly said: string;
  readonly told: string;
  readonly code: ErrorCode;
}

const text = z.string().nullish();
const flagShape = z
  .object({ success: z.literal(false), message: text.catch(undefined) })
  .transform(({ message }) => ({ code: 'success_false', message, error: undefined }));
/** A sent message comes as an object named `message`; beside such an object a code is no error. */
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
): Answer<z.output<Shape>> {
  if (reply.kind !== 'answered') return failed(unanswered(reply, purpose));
  const refusal = refusalOf(reply);
  if (refusal !== undefined) {
    return { ...failed(errorOf(refusal, reply, purpose, now)), said: refusal.said };
  }
  if (reply.status < 200 || reply.status > 299) return failed(byStatus(reply, purpose, now));
  const read = shape.safeParse(parseJson(reply.body));
  if (read.success) return { ok: true, value: read.data };
  const words = 'the answer is in a form that is not known';
  // The body is not kept: it may hold other people's messages.
  const code = forPurpose('outcome_unknown', purpose);
  return failed(sendError(code, words, purpose === 'read' ? {} : { raw: rawAnswer(reply) }));
}

function failed(error: SendError): { readonly ok: false; readonly error: SendError } {
  return { ok: false, error };
}

function refusalOf(answer: Answered): Refusal | undefined {
  const body = parseJson(answer.body);
  const error = flagShape.safeParse(body).data ?? errorShape.safeParse(body).data;
  const told = error?.message ?? error?.error ?? wordsShape.safeParse(body).data?.message ?? '';
  const named = error === undefined || isCode.test(`${error.code}`) ? error?.code : answer.status;
  const said = (keys.find(([key]) => told.includes(key))?.[1] ?? named)?.toString();
  const code = codeOf(answer.status, said);
  return said === undefined || code === undefined ? undefined : { said, told, code };
}

/** The status decides before the code where it says more: a server that failed does not know what it did. */
function codeOf(status: number, said: string | undefined): ErrorCode | undefined {
  if (status >= 500 || status === 408) return 'outcome_unknown';
  if (status === 429) return 'rate_limited';
  if (said !== undefined && Object.hasOwn(answerTable, said)) return answerTable[said];
  if (status === 401) return 'credential_refused';
  if (status === 403) return 'not_allowed';
  if (status === 404) return 'message_not_found';
  if (status === 413) return 'validation_failed';
  if (status >= 400) return 'refused';
  // A code that nobody has seen. A redirect comes from something between us and MAX.
  return status < 300 ? 'outcome_unknown' : undefined;
}

function errorOf(refusal: Refusal, answer: Answered, purpose: Purpose, now: Date): SendError {
  const { said, told } = refusal;
  // No colon behind the code: what follows "token:" is masked as a token. The record does not take half a character.
  const words = told === '' ? '' : `, ${told.slice(0, 500).toWellFormed()}`;
  const code = forPurpose(refusal.code, purpose);
  return sendError(code, `MAX says ${said}${words}`, detailsOf(code, answer, now));
}

function byStatus(answer: Answered, purpose: Purpose, now: Date): SendError {
  const { code, message } = judgeStatus(answer, now);
  const own = forPurpose(answer.status === 404 ? 'message_not_found' : code, purpose);
  return sendError(own, message, detailsOf(own, answer, now));
}

function detailsOf(code: ErrorCode, answer: Answered, now: Date): Partial<SendError> {
  const raw = rawAnswer(answer);
  if (code === 'rate_limited') return { raw, retryAfterMs: wait(answer, now) };
  return asksToComeBack(answer.status) ? { raw, ...retryAfter(answer, now) } : { raw };
}

/** How long to wait after a rate limit. */
export function wait(answer: Answered, now: Date): number {
  const asked = retryAfter(answer, now).retryAfterMs ?? 0;
  return Math.min(longestWaitMs, Math.max(shortestWaitMs, asked));
}

function unanswered(reply: Exclude<Reply, Answered>, purpose: Purpose): SendError {
  const error = noAnswer(reply);
  const code = forPurpose(error.code, purpose);
  return code === error.code ? error : recoded(error, code);
}

/** The code as it reads for a call of this purpose. */
function forPurpose(code: ErrorCode, purpose: Purpose): ErrorCode {
  if (purpose === 'change') return code === 'refused' ? 'not_changeable' : code;
  // What a send does not find is the chat.
  if (purpose === 'send') return code === 'message_not_found' ? 'chat_not_found' : code;
  if (purpose === 'upload' && code === 'message_not_found') return 'refused';
  // Reading and uploading put nothing into a chat: no post can have arrived.
  if (code !== 'outcome_unknown') return code;
  return purpose === 'read' ? 'read_failed' : 'upload_failed';
}
