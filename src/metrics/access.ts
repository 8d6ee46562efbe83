// Who may read the metrics. They tell a stranger how much is posted and where, so by default only this machine reads
// them. Where a token is configured, whoever has it reads them, and nobody else.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { MetricsAccess } from '../environment.ts';
import { type Refusal, refusalOf } from '../http/refusal.ts';
import { isOfThisMachine } from '../http/this-machine.ts';
import type { Log } from '../log.ts';
import type { Secrets } from '../secrets.ts';

export interface AccessOptions {
  readonly access: MetricsAccess;
  /** Where the token is read from, at every request: a new one counts at once. Undefined: there is none. */
  readonly tokenRef: string | undefined;
  readonly secrets: Pick<Secrets, 'ofReference'>;
  readonly log: Log;
}

const tokenVariable = 'OUTRIDER_METRICS_TOKEN_REF';

/** Undefined when the request may go on. */
export async function refuseStranger(
  options: AccessOptions,
  request: IncomingMessage,
): Promise<Refusal | undefined> {
  if (options.tokenRef !== undefined) return refuseWithoutToken(options, options.tokenRef, request);
  if (options.access === 'open' || isOfThisMachine(request)) return undefined;
  return refusal(403, 'not_from_here', 'the metrics are shown to this machine only', {
    hint: `set ${tokenVariable} to a token and send it as authorization: Bearer <token>, or OUTRIDER_METRICS=open where only those reach the server who may know`,
  });
}

async function refuseWithoutToken(
  { secrets, log }: AccessOptions,
  tokenRef: string,
  { headers }: IncomingMessage,
): Promise<Refusal | undefined> {
  const given = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (given === undefined) {
    return refusal(401, 'missing_token', 'the request carries no token', {
      hint: 'send the token of the metrics as authorization: Bearer <token>',
      headers: { 'www-authenticate': realm },
    });
  }
  const read = await secrets.ofReference(tokenRef, tokenVariable);
  if (!read.ok) {
    log.error('the token of the metrics cannot be read', { reason: read.reason });
    return refusal(503, 'token_unreadable', 'the token cannot be checked', {});
  }
  if (timingSafeEqual(digest(given), digest(read.secret))) return undefined;
  return refusal(401, 'wrong_token', 'this is not the token of the metrics', {
    headers: { 'www-authenticate': `${realm}, error="invalid_token"` },
  });
}

const realm = 'Bearer realm="outrider metrics"';

function refusal(
  status: number,
  code: string,
  message: string,
  { hint, headers }: { hint?: string; headers?: Readonly<Record<string, string>> },
): Refusal {
  const words = hint === undefined ? { code, message } : { code, message, hint };
  return refusalOf(status, words, { headers });
}

/** Of one length, so that a comparison tells nothing about the token. Node reads headers in latin1. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token, 'latin1').digest();
}
