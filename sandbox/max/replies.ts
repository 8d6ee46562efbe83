// The answers of the API host: results, the success flag, and every refusal in the provider's words.
// "Assumed" marks what no source says.

import type { SandboxReply } from '../simulator.ts';
import { type Json, writeJson } from './json.ts';

const headers = { 'content-type': 'application/json; charset=utf-8' };

export function answer(value: Json, status = 200): SandboxReply {
  return { status, headers, body: writeJson(value) };
}

export function success(): SandboxReply {
  return answer({ success: true });
}

/** A logical failure of PUT, DELETE, /answers and /subscriptions: HTTP 200, and only the flag says no. */
export function failure(message: string): SandboxReply {
  return answer({ success: false, message });
}

/** Thrown where a call is refused, caught where calls are answered. */
export class Refused extends Error {
  readonly reply: SandboxReply;

  constructor(status: number, code: string, message: string, extra: Record<string, string> = {}) {
    super(`${code}: ${message}`);
    const reply = answer({ code, message }, status);
    this.reply = { ...reply, headers: { ...headers, ...extra } };
  }
}

export const badToken = () => new Refused(401, 'verify.token', 'Invalid access_token');

/** The code is known, the words are assumed. */
export const queryToken = () =>
  new Refused(
    401,
    'verify.token',
    'Query parameter access_token is deprecated, use the Authorization header',
  );

/** The words are assumed. */
export const blockedBot = () => new Refused(403, 'account.blocked', 'Account is blocked');

/** The words are assumed. */
export const accessDenied = () => new Refused(403, 'access.denied', 'Access denied');

export const suspendedDialog = () => new Refused(403, 'chat.denied', 'error.dialog.suspended');

export const notAdmin = () =>
  new Refused(403, 'chat.denied', 'chat.send.msg.no.permission.because.not.admin');

/** A chat that the bot may not read; the words are assumed. */
export const unreadableChat = () => new Refused(403, 'chat.denied', 'error.chat.denied');

export const zeroChat = () => new Refused(403, 'chat.denied', 'Invalid chatId: 0');

export const noChat = (chat: number | string) =>
  new Refused(404, 'chat.not.found', `Chat ${chat} not found`);

/** The message is known, the code is assumed. */
export const noDialog = () => new Refused(404, 'dialog.not.found', 'error.dialog.notfound');

export const noLink = () => new Refused(404, 'not.found', 'Chat not found by link');

export const notFound = (message: string) => new Refused(404, 'not.found', message);

export const invalid = (message: string) => new Refused(400, 'proto.payload', message);

/** A body of another shape; the code is assumed. */
export const unreadableBody = () => invalid("Can't deserialize body");

export const notReady = () =>
  new Refused(400, 'attachment.not.ready', 'Key: errors.process.attachment.file.not.processed');

/** Repeating does not help; the code is assumed. */
export const unsupportedVideo = () => invalid('Key: errors.process.attachment.video.not.supported');

/** The status is documented, code and words are assumed. */
export const wrongVerb = (verb: string) =>
  new Refused(405, 'method.not.allowed', `Method ${verb} is not allowed`);

/** The status is documented, code and words are assumed. */
export const wrongType = () =>
  new Refused(415, 'unsupported.media.type', 'Content-Type must be application/json');

/** All of it is assumed. */
export const tooLarge = () => new Refused(413, 'proto.payload', 'Request is too large');

/**
 * The words are assumed. Nobody has seen a Retry-After of MAX, so the answer has one only if the scripted fault asks
 * for it.
 */
export const tooMany = (retryAfter?: number) =>
  new Refused(
    429,
    'too.many.requests',
    'Too many requests',
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  );

/** The words are assumed. */
export const serverError = (status: number) =>
  status === 503
    ? new Refused(503, 'service.unavailable', 'Service unavailable')
    : new Refused(status, 'internal.error', 'Internal error');
