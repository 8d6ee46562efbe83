// How the Bot API refuses a call. Its server composes most descriptions from what the core says: some raw codes are
// replaced, the rest get a prefix and a lower-case first letter.

import { STATUS_CODES } from 'node:http';
import type { SandboxReply } from '../simulator.ts';

export interface RefusalParameters {
  readonly retry_after?: number;
  readonly migrate_to_chat_id?: number;
}

/** Ends a call; the router turns it into the reply. */
export class Refusal extends Error {
  readonly code: number;
  readonly parameters: RefusalParameters | undefined;
  /** The words of the core, from which the description was composed. */
  readonly words: string;

  constructor(
    code: number,
    description: string,
    parameters?: RefusalParameters,
    words = description,
  ) {
    super(description);
    this.code = code;
    this.parameters = parameters;
    this.words = words;
  }
}

const replaced = new Map<string, { readonly code?: number; readonly message: string }>([
  [
    'MESSAGE_NOT_MODIFIED',
    {
      message:
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    },
  ],
  ['WEBPAGE_CURL_FAILED', { message: 'Failed to get HTTP URL content' }],
  ['WEBPAGE_MEDIA_EMPTY', { message: 'Wrong type of the web page content' }],
  ['WC_CONVERT_URL_INVALID', { message: 'Wrong HTTP URL specified' }],
  ['EXTERNAL_URL_INVALID', { message: 'Wrong HTTP URL specified' }],
  ['MEDIA_GROUPED_INVALID', { message: "Can't use the media of the specified type in the album" }],
  ['REPLY_MARKUP_TOO_LONG', { message: 'reply markup is too long' }],
  ['INPUT_USER_DEACTIVATED', { code: 403, message: 'user is deactivated' }],
  ['USER_IS_BLOCKED', { code: 403, message: 'bot was blocked by the user' }],
  ['File generation failed', { message: "can't upload file by URL" }],
  [
    'QUERY_ID_INVALID',
    { message: 'query is too old and response timeout expired or query ID is invalid' },
  ],
  ['MESSAGE_DELETE_FORBIDDEN', { message: "message can't be deleted" }],
]);

const prefixes = new Map([
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [500, 'Internal Server Error'],
]);

/** A refusal in the words of the core, composed as the Bot API composes it. */
export function refusal(message: string, code = 400): Refusal {
  const raw = /^[A-Z0-9_]+$/.test(message);
  const settled = code < 400 || code === 404 || (code === 403 && raw) ? 400 : code;
  const other = settled === 400 ? replaced.get(message) : undefined;
  const words = other?.message ?? message;
  const final = other?.code ?? settled;
  const prefix = prefixes.get(final);
  if (prefix === undefined) return new Refusal(400, `Bad Request: ${words}`, undefined, message);
  const cased = /^.[_A-Z]/.test(words) ? words : words.charAt(0).toLowerCase() + words.slice(1);
  return new Refusal(final, `${prefix}: ${cased}`, undefined, message);
}

/** Reads a part of a parameter. A refusal names that part first. */
export function within<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw refusal(`Can't parse ${part}: ${error.words}`);
  }
}

export function tooManyRequests(seconds: number): Refusal {
  return new Refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
}

/** A 5xx of Telegram itself. */
export function serverError(status = 500): Refusal {
  if (status === 500) return new Refusal(500, 'Internal Server Error: restart');
  return new Refusal(status, STATUS_CODES[status] ?? 'Unknown Error');
}

/** A result with a description. */
export class Described {
  readonly result: unknown;
  readonly description: string;

  constructor(result: unknown, description: string) {
    this.result = result;
    this.description = description;
  }
}

export function okReply(result: unknown): SandboxReply {
  const body =
    result instanceof Described
      ? { ok: true, result: result.result, description: result.description }
      : { ok: true, result };
  return { status: 200, body: JSON.stringify(body) };
}

export function refusalReply({ code, message, parameters }: Refusal): SandboxReply {
  const wait = parameters?.retry_after;
  return {
    status: code,
    ...(wait !== undefined && { headers: { 'retry-after': String(wait) } }),
    body: JSON.stringify({ ok: false, error_code: code, description: message, parameters }),
  };
}
