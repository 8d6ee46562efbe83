// Checks the signature of a request, if its endpoint asks for one.

import type { IncomingHttpHeaders } from 'node:http';
import { verifyWebhook } from '../http/standard-webhooks.ts';
import type { IngestContext } from './context.ts';
import type { Endpoint } from './gate.ts';
import { type Refusal, refuse } from './refusal.ts';

export type SignatureContext = Pick<IngestContext, 'secrets' | 'log'>;

export interface SignedRequest {
  readonly endpoint: Endpoint;
  /** Null if the endpoint asks for no signature. */
  readonly signingSecretRef: string | null;
  readonly bytes: Buffer;
}

export type Signed =
  | { readonly ok: true; readonly webhookId: string | null }
  /** `isOurs` says that we cannot read the secret: the sender has done nothing wrong. */
  | { readonly ok: false; readonly refusal: Refusal; readonly isOurs: boolean };

export async function verifySignature(
  { secrets, log }: SignatureContext,
  headers: IncomingHttpHeaders,
  { endpoint, signingSecretRef, bytes }: SignedRequest,
): Promise<Signed> {
  if (signingSecretRef === null) return { ok: true, webhookId: null };
  const { workspaceId: workspace_id, endpointId: endpoint_id } = endpoint;
  const setting = `the signing_secret_ref of endpoint ${endpoint_id}`;
  const read = await secrets.ofReference(signingSecretRef, setting);
  if (!read.ok) {
    const facts = { workspace_id, endpoint_id, reason: read.reason };
    log.error('the signing secret of an endpoint cannot be read', facts);
    const message = 'the signature cannot be checked, so nothing was accepted';
    const refusal = refuse('signing_secret_unreadable', message, { retryAfterSeconds: 60 });
    return { ok: false, refusal, isOurs: true };
  }
  const verified = verifyWebhook(headers, bytes, read.secret, new Date());
  if (verified.ok) return { ok: true, webhookId: verified.id };
  const refusal = refuse('bad_signature', verified.reason, {
    hint: 'sign the request as Standard Webhooks says, with the signing secret of the endpoint',
  });
  return { ok: false, refusal, isOurs: false };
}
