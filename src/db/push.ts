// Posts that are pushed to an endpoint.

import { z } from 'zod';
import { at, callForRow, callForValue } from './call.ts';
import { ClaimedAtOnce } from './claim.ts';
import { Enqueued } from './intake.ts';
import type { Queryable } from './pool.ts';

const Pushed = z
  .object({
    verdict: z.enum([
      'taken',
      'admitted',
      'rejected',
      'unknown_endpoint',
      'workspace_disabled',
      'payload_rejected',
      'rate_limited',
    ]),
    workspace_id: z.string().nullable(),
    endpoint_id: z.string().nullable(),
    run_id: z.string().nullable(),
    retry_after_ms: z.number().nullable(),
    max_payload_bytes: z.number().nullable(),
    signing_secret_ref: z.string().nullable(),
    reason: z.string().nullable(),
    enqueued: Enqueued.nullable(),
    claimed: z.array(ClaimedAtOnce).nullable(),
  })
  .transform((row) => ({
    verdict: row.verdict,
    workspaceId: row.workspace_id,
    endpointId: row.endpoint_id,
    runId: row.run_id,
    retryAfterMs: row.retry_after_ms,
    maxPayloadBytes: row.max_payload_bytes,
    signingSecretRef: row.signing_secret_ref,
    reason: row.reason,
    enqueued: row.enqueued,
    claimed: row.claimed ?? [],
  }));

export type Pushed = z.output<typeof Pushed>;

/**
 * Admits a request and takes its post in; what needs media or a signature first is only admitted and judged. What a
 * claimer may send at once comes with the answer.
 */
export async function ingestPush(
  client: Queryable,
  request: {
    secretHash: string;
    sizeBytes: number;
    /** The post as JSON text: numbers that JavaScript cannot hold stay what they are. */
    rawPayload: string;
    traceId: string | null;
    /** The run of a sender that takes at once what may be sent now. */
    claimer?: string | undefined;
  },
  now?: string,
): Promise<Pushed> {
  const { secretHash, sizeBytes, rawPayload, traceId, claimer = null } = request;
  return callForRow(client, {
    name: 'ingest_push',
    args: at(now, [secretHash, sizeBytes, rawPayload, traceId, claimer]),
    row: Pushed,
  });
}

/** Records that an admitted request was turned away; answers with the id of its run. */
export async function rejectIngress(
  client: Queryable,
  rejected: { workspaceId: string; endpointId: string; reason: string },
  now?: string,
): Promise<string> {
  const { workspaceId, endpointId, reason } = rejected;
  return callForValue(client, {
    name: 'reject_ingress',
    args: at(now, [workspaceId, endpointId, reason]),
    row: z.string(),
  });
}
