// What show_activity answers: a workspace as somebody watches it. It keeps the schema's names, since it is printed as it is.

import { z } from 'zod';
import { channelState, groupStates } from './channel-rows.ts';
import { timeInJson } from './columns.ts';
import { workspaceState } from './workspace-rows.ts';

const count = z.number();

export const queueCounts = ['due', 'scheduled', 'retrying', 'claimed', 'sending'] as const;

export const ShownActivity = z.object({
  workspace_id: z.string(),
  name: z.string(),
  status: workspaceState,
  now: timeInJson,
  queue: z.record(z.enum(queueCounts), count),
  /** Counts that were cut short: there may be more. */
  at_least: z.array(z.string()),
  oldest_due: z
    .object({ delivery_id: z.string(), channel_id: z.string(), due_since: timeInJson })
    .nullable(),
  /** In the last minute, or since a later time where much is sent. */
  lately: z.object({
    since: timeInJson,
    sent: count,
    retried: count,
    failed: count,
    dead: count,
    deduped: count,
  }),
  /** Processes that send. */
  senders: count,
  channel_states: z.record(channelState, count),
  channels: z.array(
    z.object({
      channel_id: z.string(),
      platform: z.string(),
      title: z.string().nullable(),
      rate_group: z.string(),
      state: channelState,
      until: timeInJson.nullable(),
      reason: z.string().nullable(),
      waiting: count,
      sending: count,
      max_parallel: count,
      rate_rps: count.nullable(),
      sent: count,
      error_streak: count,
      slot_at: timeInJson.nullable(),
      next_at: timeInJson.nullable(),
      next_delivery_id: z.string().nullable(),
    }),
  ),
  sends: z.array(
    z.object({
      delivery_id: z.string(),
      message_id: z.string(),
      channel_id: z.string(),
      attempt: count,
      started_at: timeInJson,
      lease_until: timeInJson,
      text: z.string(),
    }),
  ),
  errors: z.array(
    z.object({
      channel_id: z.string(),
      code: z.string(),
      message: z.string().nullable(),
      count,
      last_at: timeInJson,
      delivery_id: z.string().nullable(),
    }),
  ),
  alerts: z.array(
    z.object({
      alert_id: z.string(),
      kind: z.string(),
      severity: z.enum(['info', 'warning', 'critical']),
      state: z.enum(['open', 'acknowledged', 'silenced']),
      summary: z.string(),
      opened_at: timeInJson,
    }),
  ),
  groups: z.array(
    z.object({
      platform: z.string(),
      rate_group: z.string(),
      state: z.enum(['open', ...groupStates]),
      until: timeInJson.nullable(),
      reason: z.string().nullable(),
      rate_rps: count.nullable(),
      channels: count,
      slot_at: timeInJson.nullable(),
    }),
  ),
});

export type ShownActivity = z.output<typeof ShownActivity>;

/** What waits in a channel is counted up to this. */
export const activityCountsTo = 1000;
