// Who may ask the gateway: whoever has its token.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Refusal } from '../http/refusal.ts';
import type { Log } from '../log.ts';
import type { Secrets } from '../secrets.ts';
import { refuse } from './refusal.ts';

export interface TokenOptions {
  readonly secrets: Pick<Secrets, 'ofReference'>;
  /** Where the token is read from, at every request: a new one counts at once. */
  readonly tokenRef: string;
  readonly log: Log;
}

export const tokenVariable = 'OUTRIDER_GATEWAY_TOKEN_REF';
const realm = { 'www-authenticate': 'Bearer realm="outrider gateway"' };

/** Undefined when the request may go on. */
export async function refuseStranger(
  { secrets, tokenRef, log }: TokenOptions,
  { authorization }: IncomingHttpHeaders,
): Promise<Refusal | undefined> {
  const given = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (given === undefined) {
    return refuse('missing_token', 'the request carries no token', {
      hint: 'send the token of the gateway as authorization: Bearer <token>',
      headers: realm,
    });
  }
  const read = await secrets.ofReference(tokenRef, tokenVariable);
  if (!read.ok) {
    log.error('the token of the gateway cannot be read', { reason: read.reason });
    return refuse('token_unreadable', 'the token cannot be checked, so nothing was begun', {
      retryAfterSeconds: 60,
    });
  }
  if (timingSafeEqual(digest(given), digest(read.secret))) return undefined;
  return refuse('wrong_token', 'this is not the token of the gateway', {
    headers: { 'www-authenticate': `${realm['www-authenticate']}, error="invalid_token"` },
  });
}

/** Of one length, so that a comparison tells nothing about the token. Node reads headers in latin1. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token, 'latin1').digest();
}
