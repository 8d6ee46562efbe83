// The sender's half of Standard Webhooks (https://www.standardwebhooks.com): an HMAC over the id, the time
// and the body of a request, under a secret that only the two sides know.

import { createHmac } from 'node:crypto';

export interface Signing {
  readonly id: string;
  /** The time of this attempt, not of the event: receivers refuse what is old. */
  readonly at: Date;
  readonly body: Uint8Array;
}

/** The three headers. One signature for each secret: while a secret is changed, there are two. */
export function signatureHeaders(
  { id, at, body }: Signing,
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', keyOf(secret));
    return `v1,${hmac.update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

// `whsec_` is followed by base64; any other secret is used as it is.
function keyOf(secret: string): Buffer {
  const [, encoded] = /^whsec_(.*)$/s.exec(secret) ?? [];
  return encoded === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(encoded, 'base64');
}
