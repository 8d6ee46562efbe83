// What the inspecting functions answer about deliveries, and about the messages that they carry. Rows of lists get
// TypeScript's names; the document about one delivery keeps the schema's, since it is printed as it is.

import { z } from 'zod';
import { channelState } from './channel-rows.ts';
import { time, timeInJson } from './columns.ts';

export const deliveryStatuses = [
  'queued',
  'claimed',
  'sending',
  'sent',
  'retry',
  'deduped',
  'failed_permanent',
  'dead',
] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** What people call failed. */
export const failedStatuses: readonly DeliveryStatus[] = ['failed_permanent', 'dead'];

/** What a delivery waits for. */
const nextReasons = [
  'being_sent',
  'workspace_paused',
  'workspace_disabled',
  'channel_paused',
  'channel_cooling_down',
  'channel_resting',
  'channel_probing',
  'channel_closed',
  'channel_credential_refused',
  'channel_disabled',
  'scheduled',
  'retry',
  'slot',
  'in_line',
] as const;

export const ListedDelivery = z
  .object({
    delivery_id: z.string(),
    message_id: z.string(),
    channel_id: z.string(),
    status: z.enum(deliveryStatuses),
    attempt: z.number(),
    not_before: time,
    next_retry_at: time.nullable(),
    sent_at: time.nullable(),
    failed_at: time.nullable(),
    provider_message_id: z.string().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    next_because: z.enum(nextReasons).nullable(),
    next_at: time.nullable(),
    next_reason: z.string().nullable(),
    created_at: time,
    trace_id: z.string(),
    text: z.string(),
  })
  .transform((row) => ({
    deliveryId: row.delivery_id,
    messageId: row.message_id,
    channelId: row.channel_id,
    status: row.status,
    attempt: row.attempt,
    notBefore: row.not_before,
    nextRetryAt: row.next_retry_at,
    sentAt: row.sent_at,
    failedAt: row.failed_at,
    providerMessageId: row.provider_message_id,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    nextBecause: row.next_because,
    nextAt: row.next_at,
    nextReason: row.next_reason,
    createdAt: row.created_at,
    traceId: row.trace_id,
    text: row.text,
  }));

export type ListedDelivery = z.output<typeof ListedDelivery>;

export const FoundDelivery = z
  .object({
    delivery_id: z.string(),
    channel_id: z.string(),
    status: z.enum(deliveryStatuses),
    created_at: time,
  })
  .transform((row) => ({
    deliveryId: row.delivery_id,
    channelId: row.channel_id,
    status: row.status,
    createdAt: row.created_at,
  }));

export type FoundDelivery = z.output<typeof FoundDelivery>;

export const FoundMessage = z
  .object({ message_id: z.string(), created_at: time, text: z.string().nullable() })
  .transform((row) => ({
    messageId: row.message_id,
    createdAt: row.created_at,
    text: row.text,
  }));

export type FoundMessage = z.output<typeof FoundMessage>;

const object = z.record(z.string(), z.unknown());

const DeliveryError = z.object({
  category: z.string().optional(),
  scope: z.string().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  retry_after_ms: z.number().optional(),
});

export type DeliveryError = z.output<typeof DeliveryError>;

export const RecordedEvent = z
  .object({
    id: z.string(),
    ts: time,
    action: z.string(),
    result: z.enum(['ok', 'error']),
    channel_id: z.string().nullable(),
    delivery_id: z.string().nullable(),
    message_id: z.string().nullable(),
    attempt: z.number(),
    error: DeliveryError.loose().nullable(),
    meta: object,
    payload_ref: z.string().nullable(),
  })
  .transform((row) => ({
    id: row.id,
    ts: row.ts,
    action: row.action,
    result: row.result,
    channelId: row.channel_id,
    deliveryId: row.delivery_id,
    messageId: row.message_id,
    attempt: row.attempt,
    error: row.error,
    meta: row.meta,
    payloadRef: row.payload_ref,
  }));

export type RecordedEvent = z.output<typeof RecordedEvent>;

export const NextStep = z.object({
  because: z.enum(nextReasons),
  at: timeInJson.nullable(),
  reason: z.string().optional(),
  ahead: z.number().optional(),
});

export type NextStep = z.output<typeof NextStep>;

export const ShownDelivery = z.object({
  delivery: z.object({
    delivery_id: z.string(),
    status: z.enum(deliveryStatuses),
    attempt: z.number(),
    attempt_limit: z.number(),
    waited_ms: z.number().nullable(),
    outcome_unknown: z.boolean(),
    occurrence: z.number().nullable(),
    created_at: timeInJson,
    scheduled_for: timeInJson.nullable(),
    not_before: timeInJson,
    next_retry_at: timeInJson.nullable(),
    sending_started_at: timeInJson.nullable(),
    sent_at: timeInJson.nullable(),
    failed_at: timeInJson.nullable(),
    provider_message_id: z.string().nullable(),
    last_error: DeliveryError.nullable(),
    trace_id: z.string(),
    template_version: z.string().nullable(),
    rendered_text: z.string(),
    shown_text: z.string(),
    parts: z.array(
      z.object({
        item: z.number(),
        kind: z.string(),
        media: z.number(),
        provider_message_id: z.string().nullable(),
      }),
    ),
  }),
  channel: z.object({
    channel_id: z.string(),
    platform: z.string(),
    title: z.string().nullable(),
    target_id: z.string(),
    rate_group: z.string(),
    state: channelState,
    state_until: timeInJson.nullable(),
    state_reason: z.string().nullable(),
  }),
  message: z.object({
    message_id: z.string(),
    created_at: timeInJson,
    seen_count: z.number(),
    tags: z.array(z.string()),
    source: object.nullable(),
    source_ref: z.string().nullable(),
    payload: object,
  }),
  next: NextStep.nullable(),
  events: z.array(
    z.object({
      ts: timeInJson,
      action: z.string(),
      attempt: z.number(),
      result: z.enum(['ok', 'error']),
      error: DeliveryError.nullable(),
      meta: object,
    }),
  ),
});

export type ShownDelivery = z.output<typeof ShownDelivery>;
