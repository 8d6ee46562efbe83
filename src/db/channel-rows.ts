// What the inspecting functions answer about channels, their rate groups, and the credentials that they send with.

import { z } from 'zod';
import { time, timeInJson } from './columns.ts';

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

export const channelState = z.enum(channelStates);

export type ChannelState = z.output<typeof channelState>;

/** The states in which a rate group sends nothing, or only a probe. */
export const groupStates = ['cooling_down', 'resting', 'probing', 'credential_refused'] as const;

const ChannelGate = z.object({
  state: channelState,
  until: timeInJson.nullable(),
  /** Whether it is the rate group's, and not the channel's own. */
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

/** What waits is counted up to this. */
export const waitingCountsTo = 10_000;

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

export const ListedRateGroup = z
  .object({
    platform: z.string(),
    rate_group: z.string(),
    state: z.enum(['open', ...groupStates]),
    state_since: time.nullable(),
    state_until: time.nullable(),
    state_reason: z.string().nullable(),
    rate_rps: z.number().nullable(),
    auth_refs: z.array(z.string()),
    channels: z.number(),
    disabled: z.number(),
    paused: z.number(),
  })
  .transform((row) => ({
    platform: row.platform,
    rateGroup: row.rate_group,
    state: row.state,
    stateSince: row.state_since,
    stateUntil: row.state_until,
    stateReason: row.state_reason,
    rateRps: row.rate_rps,
    authRefs: row.auth_refs,
    channels: row.channels,
    disabled: row.disabled,
    paused: row.paused,
  }));

export type ListedRateGroup = z.output<typeof ListedRateGroup>;
