// The answers of the inspecting functions. Rows of lists get TypeScript's names; the documents about one delivery or
// one workspace keep those of the schema, since they are printed as they are.

import { z } from 'zod';
import { time } from './columns.ts';

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

const workspaceState = z.enum(['active', 'paused', 'disabled']);
export const channelStates = [
  'open',
  'paused',
  'cooling_down',
  'resting',
  'probing',
  'closed',
  'credential_refused',
  'disabled',
] as const;
const channelState = z.enum(channelStates);

export const groupStates = ['cooling_down', 'resting', 'probing', 'credential_refused'] as const;

export type ChannelState = z.output<typeof channelState>;

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

export const Workspace = z
  .object({ workspace_id: z.string(), name: z.string(), status: workspaceState })
  .transform((row) => ({ workspaceId: row.workspace_id, name: row.name, status: row.status }));

export type Workspace = z.output<typeof Workspace>;

const timeInJson = z.string().transform((text, context) => {
  const value = new Date(text);
  if (!Number.isNaN(value.getTime())) return value;
  context.addIssue({ code: 'custom', message: 'is not a time of this era' });
  return z.NEVER;
});

const ChannelGate = z.object({
  state: channelState,
  until: timeInJson.nullable(),
  /** Its rate group's, not its own. */
  of_group: z.boolean(),
  reason: z.string().nullable(),
});

/** What keeps a channel from sending. */
export type ChannelGate = z.output<typeof ChannelGate>;

export const ListedChannel = z
  .object({
    channel_id: z.string(),
    platform: z.string(),
    title: z.string().nullable(),
    target_id: z.string(),
    auth_ref: z.string(),
    rate_group: z.string(),
    enabled: z.boolean(),
    state: channelState,
    state_until: time.nullable(),
    state_reason: z.string().nullable(),
    gates: z.array(ChannelGate),
    waiting: z.number(),
    sending: z.number(),
    last_sent_at: time.nullable(),
    error_streak: z.number(),
    rate_rps: z.number().nullable(),
    max_parallel: z.number(),
  })
  .transform((row) => ({
    channelId: row.channel_id,
    platform: row.platform,
    title: row.title,
    targetId: row.target_id,
    authRef: row.auth_ref,
    rateGroup: row.rate_group,
    enabled: row.enabled,
    state: row.state,
    stateUntil: row.state_until,
    stateReason: row.state_reason,
    gates: row.gates,
    waiting: row.waiting,
    sending: row.sending,
    lastSentAt: row.last_sent_at,
    errorStreak: row.error_streak,
    rateRps: row.rate_rps,
    maxParallel: row.max_parallel,
  }));

export type ListedChannel = z.output<typeof ListedChannel>;

export const ListedCredential = z
  .object({
    auth_ref: z.string(),
    platform: z.string(),
    secret_ref: z.string().nullable(),
    channels: z.number(),
  })
  .transform((row) => ({
    authRef: row.auth_ref,
    platform: row.platform,
    secretRef: row.secret_ref,
    channels: row.channels,
  }));

export type ListedCredential = z.output<typeof ListedCredential>;

/** What waits is counted up to this. */
export const waitingCountsTo = 10_000;

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

const NextStep = z.object({
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

const count = z.number();

export const ShownWorkspace = z.object({
  workspace_id: z.string(),
  name: z.string(),
  status: workspaceState,
  now: timeInJson,
  waiting: z.object({ due: count, scheduled: count, retrying: count, claimed: count }),
  oldest_due: z
    .object({ delivery_id: z.string(), channel_id: z.string(), due_since: timeInJson })
    .nullable(),
  next_send_at: timeInJson.nullable(),
  sending: z.object({ open: count, expiring: count, expired: count }),
  channels: z.record(channelState, count),
  /** Rate groups that do not send. */
  groups: z.array(
    z.object({
      platform: z.string(),
      rate_group: z.string(),
      state: z.enum(groupStates),
      since: timeInJson.nullable(),
      until: timeInJson.nullable(),
      reason: z.string().nullable(),
      channels: count,
    }),
  ),
  last_hour: z.object({
    sent: count,
    retried: count,
    failed: count,
    dead: count,
    deduped: count,
    refused: count,
    repeated: count,
  }),
  last_errors: z.array(
    z.object({
      code: z.string(),
      count,
      last_at: timeInJson,
      channel_id: z.string().nullable(),
      message: z.string().nullable(),
    }),
  ),
  /** Counts that were cut short: there may be more. */
  at_least: z.array(z.string()),
});

export type ShownWorkspace = z.output<typeof ShownWorkspace>;
