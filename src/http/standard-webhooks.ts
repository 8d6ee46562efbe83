// Signs and verifies Standard Webhooks (https://www.standardwebhooks.com): an HMAC over the id, the time and the body
// of a request, under a secret that only its sender and its receiver know.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Signing {
  /** The sender's id for the request; a repeat has the same. */
  readonly id: string;
  /** The time of this attempt, not of what it reports: receivers refuse old requests. */
  readonly at: Date;
  readonly body: Uint8Array;
}

export type SignatureHeaders = Readonly<
  Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
>;

/** The secrets that requests are signed with: one, or, while it is changed, several with blanks between. */
export function signingSecrets(text: string): string[] {
  return text.split(/\s+/).filter((each) => each !== '');
}

/** What keeps a text from being such secrets; a sentence that does not quote them. */
export function signingFault(text: string): string | undefined {
  const secrets = signingSecrets(text);
  // A phrase would become as many short keys as it has words.
  if (secrets.length > 1 && !secrets.every((each) => each.startsWith('whsec_'))) {
    return 'it has blanks: each of several secrets must begin with whsec_, and a single one has no blanks';
  }
  return secrets.map(keyFault).find((each) => each !== undefined);
}

/** What keeps one secret from being a key. */
export function keyFault(secret: string): string | undefined {
  const [, encoded] = /^whsec_(.*)$/s.exec(secret) ?? [];
  const isKey = encoded === undefined || base64.test(encoded);
  return isKey ? undefined : 'what follows whsec_ must be base64';
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,4}={0,2}$/;

/** One signature for each secret: while a secret is changed, there are two. */
export function signWebhook(
  { id, at, body }: Signing,
  secrets: readonly string[],
): SignatureHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map(
    (secret) => `v1,${digestOf(secret, { id, timestamp, body }).toString('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

export type Verified =
  | { readonly ok: true; readonly id: string }
  | { readonly ok: false; readonly reason: string };

/** How far the sender's clock may be off. For as long, somebody who has seen a request can repeat it. */
const toleranceSeconds = 5 * 60;

export function verifyWebhook(
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
  const expected = digestOf(secret, { id, timestamp, body });
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

interface Signed {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
}

function digestOf(secret: string, { id, timestamp, body }: Signed): Buffer {
  return createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest();
}

// `whsec_` is followed by base64; any other secret is used as it is.
function keyOf(secret: string): Buffer {
  const [, encoded] = /^whsec_(.*)$/s.exec(secret) ?? [];
  return encoded === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(encoded, 'base64');
}
