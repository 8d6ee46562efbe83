// The secret of an endpoint, as a request carries it.

import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * The SHA-256 of the secret, in hex; undefined when the request carries none. Endpoints are looked up by it in an
 * index, where a comparison takes longer the more characters agree. That gives nothing away: nobody can choose a secret
 * so that its hash comes closer to another one, and the secret itself is never compared.
 */
export function secretHashOf(headers: IncomingHttpHeaders): string | undefined {
  const own = headers['x-outrider-secret'];
  const secret = typeof own === 'string' ? own : bearerOf(headers.authorization);
  if (secret === undefined || secret === '') return undefined;
  return hashOfSecret(secret);
}

/** The hash by which the database knows the secret, which is given as Node reads headers: in latin1. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', Buffer.from(secret, 'latin1'), 'hex');
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}
