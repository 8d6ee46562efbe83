// What all answer tables share: making errors, reading answers, and judging those that no table knows.

import type { z } from 'zod';
import { leaseOver, outcomeUnknown, type SendError } from './adapter.ts';
import type { Answered, Reply } from './transport.ts';

type Details = Partial<Pick<SendError, 'scope' | 'retryAfterMs' | 'raw'>>;

/** Worth another try; of this delivery, unless the details say more. */
export function transient(code: string, message: string, details: Details = {}): SendError {
  return { category: 'TRANSIENT', scope: 'delivery', code, message, ...details };
}

/** No use in trying again; of this delivery, unless the details say more. */
export function permanent(code: string, message: string, details: Details = {}): SendError {
  return { category: 'PERMANENT', scope: 'delivery', code, message, ...details };
}

/** It may have arrived: bytes left, and nothing usable came back. */
export function maybeSent(message: string, raw?: unknown): SendError {
  return transient(outcomeUnknown, message, raw === undefined ? {} : { raw });
}

/** What a reply without a whole answer means. */
export function noAnswer(reply: Exclude<Reply, Answered>): SendError {
  // A request that breaks off in its body is none that a provider could have carried out.
  if (reply.code === 'source_missing') return permanent('media_missing_origin', reply.reason);
  if (reply.code === 'source_failed') return transient('media_unreadable', reply.reason);
  if (reply.kind === 'unknown') return maybeSent(reply.reason);
  if (reply.code === 'aborted' || reply.code === leaseOver) {
    return transient(reply.code, reply.reason);
  }
  return transient('unreachable', reply.reason);
}

/** An answer as its schema reads it; undefined when it is no JSON or of another shape. */
export function readAnswer<Schema extends z.ZodType>(
  answer: Answered,
  schema: Schema,
): z.output<Schema> | undefined {
  return schema.safeParse(jsonOf(answer)).data;
}

const read = new WeakMap<Answered, unknown>();

/** The body, parsed once, however many ask. */
function jsonOf(answer: Answered): unknown {
  if (read.has(answer)) return read.get(answer);
  const value = parseJson(answer.body);
  read.set(answer, value);
  return value;
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    const isOdd = !text.isWellFormed() || (text.includes('\\u') && oddEscapes.test(text));
    if (!isOdd) return JSON.parse(text);
    return JSON.parse(text.replaceAll('\\u0000', '\\ufffd'), storable);
  } catch {
    return undefined;
  }
}

// NUL, half a character, and whatever a backslash before the escape makes of it: in a text that is well
// formed nothing else can bring these in. Looking at every value costs more than the rest of an answer.
const oddEscapes =
  /\\\\u|\\u0000|\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f]/i;

// PostgreSQL takes neither NUL nor half a character, and an outcome must not be lost for either.
function storable(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  if (entries.every(([key]) => key.isWellFormed())) return value;
  return Object.fromEntries(entries.map(([key, each]) => [key.toWellFormed(), each]));
}

/** An answer that no table knows: by its status. */
export function judgeStatus(answer: Answered, now: Date): SendError {
  const { status } = answer;
  const code = String(status);
  const raw = rawAnswer(answer);
  const words = `the provider answered with status ${code}`;
  if (status >= 200 && status < 300) return maybeSent(`${words} in a form that is not known`, raw);
  if (status >= 500 || status === 408) return maybeSent(words, raw);
  if (status === 429) {
    return transient(code, words, { scope: 'platform', raw, ...retryAfter(answer, now) });
  }
  if (status === 401 || status === 403 || status === 404) {
    return permanent(code, words, { scope: 'channel', raw });
  }
  // A redirect comes from something between us and the provider.
  if (status < 400) return transient(code, words, { raw });
  return permanent(code, words, { raw });
}

/** The longest wait that an error may ask for. */
const longestWaitMs = 30 * 86_400_000;

/** The `Retry-After` header, in seconds or as a date, as a field of an error. */
export function retryAfter(answer: Answered, now: Date): { readonly retryAfterMs?: number } {
  const value = answer.headers['retry-after']?.trim() ?? '';
  const until = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : Number.NaN;
  const waitMs = /^\d{1,9}(\.\d{1,9})?$/.test(value)
    ? Math.ceil(Number(value) * 1000)
    : Math.max(0, until - now.getTime());
  return Number.isNaN(waitMs) ? {} : { retryAfterMs: Math.min(waitMs, longestWaitMs) };
}

const excerptLength = 2000;

/** What is kept of an answer: JSON as it is, of anything else the beginning. */
export function rawAnswer(answer: Answered): unknown {
  const { status, body } = answer;
  const value = jsonOf(answer);
  if (value !== undefined && Buffer.byteLength(body) <= 16 * excerptLength) {
    return { status, body: value };
  }
  return { status, body: body.slice(0, excerptLength).toWellFormed() };
}
