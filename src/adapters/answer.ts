// What all answer tables share: making errors, reading answers, and judging those that no table knows.

import type { z } from 'zod';
import { readRetryAfter } from '../http/retry-after.ts';
import type { Answered, Reply } from '../http/transport.ts';
import type { SendError } from './adapter.ts';
import { type ErrorCode, errorCodes } from './error-codes.ts';

/** An error whose code is one of ours. */
type KnownError = SendError<ErrorCode>;

type Details = Partial<Omit<SendError, 'code' | 'message'>>;

/** An error with the usual meaning of its code, unless the details say otherwise. */
export function sendError(code: ErrorCode, message: string, details: Details = {}): KnownError {
  return { ...errorCodes[code], code, message, ...details };
}

/** The same words with the meaning of another code. */
export function recoded(error: SendError, code: ErrorCode): KnownError {
  const { message, retryAfterMs, raw } = error;
  const told = retryAfterMs === undefined ? {} : { retryAfterMs };
  return sendError(code, message, raw === undefined ? told : { ...told, raw });
}

/** The error of a call that puts nothing into a chat: no post can have arrived. */
export function asRead(error: SendError): SendError {
  return error.outcome === 'unknown' ? recoded(error, 'read_failed') : error;
}

/** What a reply without a whole answer means. */
export function noAnswer(reply: Exclude<Reply, Answered>): KnownError {
  // A provider cannot carry out a request whose body breaks off.
  if (reply.code === 'source_missing') return sendError('media_missing_origin', reply.reason);
  if (reply.code === 'source_failed') return sendError('media_unreadable', reply.reason);
  if (reply.kind === 'unknown') return sendError('outcome_unknown', reply.reason);
  if (reply.code === 'aborted' || reply.code === 'lease_over') {
    return sendError(reply.code, reply.reason);
  }
  return sendError('unreachable', reply.reason);
}

/** An answer as its schema reads it; undefined when it is not JSON or has another shape. */
export function readAnswer<Schema extends z.ZodType>(
  answer: Answered,
  schema: Schema,
): z.output<Schema> | undefined {
  return schema.safeParse(parseJson(answer.body)).data;
}

/** Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    const isOdd = !text.isWellFormed() || (text.includes('\\u') && oddEscapes.test(text));
    if (!isOdd) return JSON.parse(text);
    return JSON.parse(text.replaceAll('\\u0000', '\\ufffd'), storable);
  } catch {
    return undefined;
  }
}

// Escapes of NUL or of half a character, and escapes behind a backslash, which may be text. Nothing else can bring
// NUL or half a character into a well-formed text. To look at every value of every answer would cost more than all
// the other work on it.
const oddEscapes =
  /\\\\u|\\u0000|\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f]/i;

// PostgreSQL refuses NUL and half a character, and an outcome must not be lost because of them.
function storable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  if (entries.every(([key]) => key.isWellFormed())) return value;
  return Object.fromEntries(entries.map(([key, each]) => [key.toWellFormed(), each]));
}

/** Judges an answer that no table knows, by its status. */
export function judgeStatus(answer: Answered, now: Date): KnownError {
  const { status } = answer;
  const raw = rawAnswer(answer);
  const words = `the provider answered with status ${status}`;
  if (status >= 200 && status < 300) {
    return sendError('outcome_unknown', `${words} in a form that is not known`, { raw });
  }
  if (asksToComeBack(status)) {
    const code = status === 429 ? 'rate_limited' : 'outcome_unknown';
    return sendError(code, words, { raw, ...retryAfter(answer, now) });
  }
  if (status === 401) return sendError('credential_refused', words, { raw });
  if (status === 403) return sendError('not_allowed', words, { raw });
  if (status === 404) return sendError('refused', words, { scope: 'channel', raw });
  if (status === 413) return sendError('validation_failed', words, { raw });
  // A redirect comes from something between us and the provider.
  if (status < 400) return sendError('unexpected_answer', words, { raw });
  return sendError('refused', words, { raw });
}

/** Whether an answer with this status may say when to come back. */
export function asksToComeBack(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** The longest wait that an error may ask for. */
const longestWaitMs = 30 * 86_400_000;

/** The `Retry-After` header as a field of an error. */
export function retryAfter(answer: Answered, now: Date): { readonly retryAfterMs?: number } {
  const waitMs = readRetryAfter(answer.headers['retry-after'], now);
  return waitMs === undefined ? {} : { retryAfterMs: Math.min(waitMs, longestWaitMs) };
}

const excerptLength = 2000;

/** What is kept of an answer: JSON as it is, unless it is long; otherwise the beginning of the text. */
export function rawAnswer(answer: Answered): unknown {
  const { status, body } = answer;
  const value = parseJson(body);
  if (value !== undefined && Buffer.byteLength(body) <= 16 * excerptLength) {
    return { status, body: value };
  }
  return { status, body: body.slice(0, excerptLength).toWellFormed() };
}
