// Signatures of Standard Webhooks (https://www.standardwebhooks.com): an HMAC over the id, the time and the
// body of a request, under a secret that only the sender and the endpoint know.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export type Verified =
  | {
      readonly ok: true /** The sender's id of the request; a repeat has the same. */;
      readonly id: string;
    }
  | { readonly ok: false; readonly reason: string };

/** How far the sender's clock may be off, and for how long a request can be repeated by somebody else. */
const toleranceSeconds = 5 * 60;

export function verifySignature(
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  secret: string,
  now: Date,
): Verified {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') {
    const reason = 'webhook-id, webhook-timestamp or webhook-signature is missing';
    return { ok: false, reason };
  }
  if (!/^[\x21-\x7e]{1,256}$/.test(id)) {
    return { ok: false, reason: 'webhook-id must have 1 to 256 visible ASCII characters' };
  }
  if (!/^\d{1,12}$/.test(timestamp)) {
    return { ok: false, reason: 'webhook-timestamp must be a time in seconds since 1970' };
  }
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) {
    const reason = 'webhook-timestamp is more than 5 minutes from the time here';
    return { ok: false, reason };
  }
  const expected = createHmac('sha256', keyOf(secret))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest();
  // A sender that changes its secret signs with both for a while.
  const matches = signatures.split(' ').filter((signature) => isEqual(signature, expected));
  if (matches.length === 0) {
    return { ok: false, reason: 'no signature in webhook-signature is that of this body' };
  }
  return { ok: true, id };
}

function isEqual(signature: string, expected: Buffer): boolean {
  const [, given] = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature) ?? [];
  return given !== undefined && timingSafeEqual(Buffer.from(given, 'base64'), expected);
}

function keyOf(secret: string): Buffer {
  const [, encoded] = /^whsec_(.*)$/s.exec(secret) ?? [];
  return encoded === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(encoded, 'base64');
}
