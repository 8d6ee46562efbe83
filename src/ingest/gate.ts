// The gate of an endpoint: the refusals for requests that it does not admit, and the record of requests that it
// admitted and that were refused all the same.

import { type Admission, admitIngress, type EndpointKind, rejectIngress } from '../db/intake.ts';
import type { Queryable } from '../db/pool.ts';
import { DatabaseFaultError } from '../errors.ts';
import { type Refusal, refuse, withRun } from './refusal.ts';

/** Whose request it is. */
export interface Endpoint {
  readonly workspaceId: string;
  readonly endpointId: string;
}

export type GateVerdict =
  | { readonly ok: true; readonly endpoint: Endpoint }
  | { readonly ok: false; readonly refusal: Refusal };

const realm = { 'www-authenticate': 'Bearer realm="outrider"' };

export function missingSecret(): Refusal {
  return refuse('missing_secret', 'the request carries no secret', {
    hint: 'send the secret of the endpoint as authorization: Bearer <secret>, or as x-outrider-secret',
    headers: realm,
  });
}

export function unknownSecret(): Refusal {
  return refuse('unknown_secret', 'no endpoint has this secret', {
    hint: 'check the secret, and that its endpoint is enabled',
    headers: { 'www-authenticate': `${realm['www-authenticate']}, error="invalid_token"` },
  });
}

/** The fields of an admission that `verdictOf` needs. */
type Judged = Pick<
  Admission,
  'verdict' | 'workspaceId' | 'endpointId' | 'runId' | 'retryAfterMs' | 'maxPayloadBytes'
>;

export function verdictOf(admission: Judged): GateVerdict {
  const { verdict, workspaceId, endpointId } = admission;
  if (verdict !== 'admitted') return { ok: false, refusal: closedGate(admission) };
  if (workspaceId === null || endpointId === null) {
    throw new DatabaseFaultError('a request was admitted to no endpoint');
  }
  return { ok: true, endpoint: { workspaceId, endpointId } };
}

function closedGate({ verdict, runId, retryAfterMs, maxPayloadBytes }: Judged): Refusal {
  if (verdict === 'unknown_endpoint') return unknownSecret();
  if (verdict === 'workspace_disabled') {
    const message = 'the workspace of this secret is disabled and takes nothing in';
    return refuse('workspace_disabled', message);
  }
  if (verdict === 'payload_rejected')
    return tooLarge(maxPayloadBytes ?? 0, 'max_payload_bytes', runId);
  const retryAfterSeconds = Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1000));
  return refuse('rate_limited', 'requests come faster than the endpoint takes them (ingress_rps)', {
    hint: `send it again in ${retryAfterSeconds} s`,
    retryAfterSeconds,
    runId,
  });
}

/** `limitedBy` names what sets the limit: a setting of the endpoint, a variable, or what posts may have at most. */
export function tooLarge(
  maxPayloadBytes: number,
  limitedBy: string,
  runId?: string | null,
): Refusal {
  const message = `the body is larger than ${maxPayloadBytes} bytes (${limitedBy})`;
  return refuse('payload_too_large', message, { maxPayloadBytes, runId });
}

export interface GateRequest {
  /** That of posts when missing. */
  readonly kind?: EndpointKind | undefined;
  readonly secretHash: string;
  readonly sizeBytes: number;
}

/** Asks whether a request may come in. */
export async function admit(client: Queryable, request: GateRequest): Promise<GateVerdict> {
  const { kind = 'webhook_push', secretHash, sizeBytes } = request;
  return verdictOf(await admitIngress(client, { kind, secretHash, sizeBytes }));
}

/** Refuses a request, but only if the gate admits it. A sender that is not admitted learns nothing else. */
export async function refuseAtGate(
  client: Queryable,
  request: GateRequest,
  refusal: Refusal,
): Promise<Refusal> {
  const admitted = await admit(client, request);
  return admitted.ok ? recorded(client, admitted.endpoint, refusal) : admitted.refusal;
}

/** Records a refusal, and names the run that it is recorded under. */
export async function recorded(
  client: Queryable,
  endpoint: Endpoint,
  refusal: Refusal,
): Promise<Refusal> {
  const { path, message } = refusal.body.error;
  const reason = path === undefined ? message : `${path}: ${message}`;
  const runId = await rejectIngress(client, { ...endpoint, reason: reason.slice(0, 1000) });
  return withRun(refusal, runId);
}
