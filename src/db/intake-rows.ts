// The answers of intake, with the schema's names turned into TypeScript's.

import { z } from 'zod';
import { ClaimedInJson } from './claim.ts';
import { exactTime } from './columns.ts';

export const FoundEndpoint = z
  .object({
    workspace_id: z.string(),
    endpoint_id: z.string(),
    auth_ref: z.string().nullable(),
    max_payload_bytes: z.number(),
    signing_secret_ref: z.string().nullable(),
  })
  .transform((row) => ({
    workspaceId: row.workspace_id,
    endpointId: row.endpoint_id,
    /** The credential that a bot answers with. */
    authRef: row.auth_ref,
    maxPayloadBytes: row.max_payload_bytes,
    /** Where the secret is that requests are signed with; null: they are not signed. */
    signingSecretRef: row.signing_secret_ref,
  }));

const refusedAdmission = [
  'unknown_endpoint',
  'workspace_disabled',
  'payload_rejected',
  'rate_limited',
] as const;

/** What a request is told, whoever has admitted it. */
const admissionFields = {
  workspace_id: z.string().nullable(),
  endpoint_id: z.string().nullable(),
  run_id: z.string().nullable(),
  retry_after_ms: z.number().nullable(),
  max_payload_bytes: z.number().nullable(),
  signing_secret_ref: z.string().nullable(),
};

function admissionOf(row: z.output<z.ZodObject<typeof admissionFields>>) {
  return {
    workspaceId: row.workspace_id,
    endpointId: row.endpoint_id,
    runId: row.run_id,
    retryAfterMs: row.retry_after_ms,
    maxPayloadBytes: row.max_payload_bytes,
    signingSecretRef: row.signing_secret_ref,
  };
}

export const Admission = z
  .object({ verdict: z.enum(['admitted', ...refusedAdmission]), ...admissionFields })
  .transform((row) => ({ verdict: row.verdict, ...admissionOf(row) }));

export type Admission = z.output<typeof Admission>;

const ChannelVerdict = z.discriminatedUnion('verdict', [
  z
    .object({
      verdict: z.literal('queued'),
      channel_id: z.string(),
      delivery_id: z.string(),
      not_before: exactTime,
    })
    .transform((row) => ({
      verdict: row.verdict,
      channelId: row.channel_id,
      deliveryId: row.delivery_id,
      notBefore: row.not_before,
    })),
  z
    .object({
      verdict: z.literal('deduped'),
      channel_id: z.string(),
      because: z.enum(['sent', 'inflight', 'similar']),
      delivery_id: z.string(),
      until: exactTime.nullable(),
      score: z.number().optional(),
      suppressed_id: z.string().optional(),
    })
    .transform(({ score, suppressed_id: suppressedId, ...row }) => ({
      verdict: row.verdict,
      channelId: row.channel_id,
      because: row.because,
      deliveryId: row.delivery_id,
      until: row.until,
      // With `similar`: how nearly it is the same, and the delivery that was suppressed, for a requeue.
      ...(score === undefined ? {} : { score }),
      ...(suppressedId === undefined ? {} : { suppressedId }),
    })),
  z
    .object({
      verdict: z.literal('validation_failed'),
      channel_id: z.string(),
      delivery_id: z.string(),
      reason: z.string(),
    })
    .transform((row) => ({
      verdict: row.verdict,
      channelId: row.channel_id,
      deliveryId: row.delivery_id,
      reason: row.reason,
    })),
  z
    .object({
      verdict: z.literal('not_routed'),
      channel_id: z.string(),
      rule: z.enum(['disabled', 'include_any', 'include_all', 'exclude', 'text_only']),
    })
    .transform((row) => ({ verdict: row.verdict, channelId: row.channel_id, rule: row.rule })),
]);

/** What became of a post in one channel, and why. */
export type ChannelVerdict = z.output<typeof ChannelVerdict>;

const accepted = {
  verdict: z.literal('accepted'),
  message_id: z.string(),
  trace_id: z.string(),
  seen: z.enum(['first', 'before']),
};

export const Enqueued = z.discriminatedUnion('verdict', [
  z
    .object({ run_id: z.string(), ...accepted, channels: z.array(ChannelVerdict) })
    .transform((row) => ({
      verdict: row.verdict,
      runId: row.run_id,
      messageId: row.message_id,
      traceId: row.trace_id,
      seen: row.seen,
      channels: row.channels,
    })),
  z
    .object({ run_id: z.string(), verdict: z.literal('dedup_dropped'), received_at: exactTime })
    .transform((row) => ({
      verdict: row.verdict,
      runId: row.run_id,
      receivedAt: row.received_at,
    })),
]);

export type Enqueued = z.output<typeof Enqueued>;

const AcceptedItem = z
  .object({
    ...accepted,
    channels: z.array(ChannelVerdict).default([]),
    repeats_item: z.number().optional(),
  })
  .transform((row) => ({
    verdict: row.verdict,
    messageId: row.message_id,
    traceId: row.trace_id,
    seen: row.seen,
    channels: row.channels,
    repeatsItem: row.repeats_item ?? null,
  }));

const RejectedItem = z.object({ verdict: z.literal('rejected'), reason: z.string() });

export const EnqueuedBatch = z
  .object({
    run_id: z.string(),
    items: z.array(z.discriminatedUnion('verdict', [AcceptedItem, RejectedItem])),
  })
  .transform((row) => ({ runId: row.run_id, items: row.items }));

export type EnqueuedBatch = z.output<typeof EnqueuedBatch>;

export const Pushed = z
  .object({
    verdict: z.enum(['taken', 'admitted', 'rejected', ...refusedAdmission]),
    ...admissionFields,
    reason: z.string().nullable(),
    enqueued: Enqueued.nullable(),
    claimed: z.array(ClaimedInJson).nullable(),
  })
  .transform((row) => ({
    verdict: row.verdict,
    ...admissionOf(row),
    reason: row.reason,
    enqueued: row.enqueued,
    claimed: row.claimed ?? [],
  }));

export type Pushed = z.output<typeof Pushed>;

const TakenItem = z.intersection(
  z.object({ item_ref: z.string() }).transform((row) => ({ itemRef: row.item_ref })),
  z.discriminatedUnion('verdict', [
    AcceptedItem,
    RejectedItem,
    z.object({ verdict: z.literal('already_taken') }),
  ]),
);

export const PulledChunk = z
  .object({ run_id: z.string(), items: z.array(TakenItem) })
  .transform((row) => ({ runId: row.run_id, items: row.items }));

export type PulledChunk = z.output<typeof PulledChunk>;
