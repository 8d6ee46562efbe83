// The form of a refusal, and the refusals that every server has. Areas have refusals of their own, in the same form.

import type { Answer } from './answer.ts';
import { BrokenBodyError, SlowBodyError } from './body.ts';

/** What every refusal says. */
export interface RefusalWords {
  /** For programs; does not change. */
  readonly code: string;
  /** For people: what is wrong, and where. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
}

export interface Refusal<Words extends RefusalWords = RefusalWords> extends Answer {
  readonly body: { readonly error: Words };
}

export interface RefusalHead {
  readonly retryAfterSeconds?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export function refusalOf<Words extends RefusalWords>(
  status: number,
  error: Words,
  { headers, retryAfterSeconds }: RefusalHead,
): Refusal<Words> {
  const retryAfter =
    retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` };
  return {
    status,
    body: { error },
    headers: { ...headers, ...retryAfter },
    facts: { code: error.code },
  };
}

/** The codes of every server's refusals, each with its status. */
export const serverStatusOf = {
  malformed_request: 400,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  host_refused: 421,
  headers_too_large: 431,
  internal: 500,
  starting: 503,
  stopping: 503,
} as const;

export function refuse(
  code: keyof typeof serverStatusOf,
  message: string,
  { hint, ...head }: RefusalHead & { readonly hint?: string } = {},
): Refusal {
  const words = hint === undefined ? { code, message } : { code, message, hint };
  return refusalOf(serverStatusOf[code], words, head);
}

/** The refusal for a body that did not arrive; undefined when the error is about something else. */
export function bodyRefusal(error: unknown): Refusal | undefined {
  if (error instanceof SlowBodyError) {
    return refuse('request_timeout', error.message, { headers: { connection: 'close' } });
  }
  return error instanceof BrokenBodyError ? refuse('malformed_request', error.message) : undefined;
}

/** The refusal for a request whose handler threw. It tells nothing about our internals. */
export function refusalFor(error: unknown): Refusal {
  return bodyRefusal(error) ?? refuse('internal', 'something went wrong here; it has been logged');
}
