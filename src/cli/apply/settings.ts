// The settings of a workspace: retry policy, penalties, claims, alerts, retention.

import { z } from 'zod';

const span = z
  .string('must be a span of time such as "30 seconds"')
  .meta({ examples: ['30 seconds', '10 minutes', '2 days'] });

export const Settings = z
  .strictObject({
    max_attempts: z.int().min(1).max(100).describe('Default: 5.'),
    backoff_base: span.describe('The wait before the second attempt. Default: 2 seconds.'),
    backoff_factor: z
      .number()
      .min(1)
      .max(10)
      .describe('Each wait is this much longer. Default: 2.'),
    backoff_cap: span.describe('The longest wait. Default: 10 minutes.'),
    backoff_jitter: z.number().min(0).max(0.9).describe('Share of chance in a wait. Default: 0.2.'),
    not_ready_backoff_min: span.describe('While media are being processed. Default: 1 second.'),
    not_ready_backoff_max: span.describe('Default: 5 seconds.'),
    give_up_after: span.describe(
      'How long a delivery may be made to wait in all by rate limits and a platform that is away. Default: 24 hours.',
    ),
    pause_on_permanent_for: span.describe('After a refusal by a channel. Default: 1 hour.'),
    disable_after_permanent_streak: z.int().min(1).describe('Refusals in a row. Default: 3.'),
    group_cooldown: span.describe('After a refusal by a platform. Default: 30 seconds.'),
    outage_after_channels: z
      .int()
      .min(2)
      .max(1000)
      .describe('Channels in a row that find their platform ill. Default: 3.'),
    claim_per_channel: z.int().min(1).max(10_000).describe('Default: 50.'),
    sending_lease: span.describe('How long a sender may be silent. Default: 30 seconds.'),
    claimed_lease: span.describe('Default: 5 minutes.'),
    recovery_backoff: span.describe('Wait of what a dead sender left. Default: 10 seconds.'),
    keep_deduped_rows: z.boolean().describe('Default: false.'),
    keep_payloads: z
      .enum(['errors', 'all', 'none'])
      .describe('Which raw requests and answers are kept, encrypted. Default: errors.'),
    alert_failed_permanent_over: z.int().min(0).describe('Default: 10.'),
    alert_paused_channels_over: z.int().min(0).describe('Default: 0.'),
    alert_group_stops_over: z
      .int()
      .min(0)
      .describe('Stops of a rate group in ten minutes. Default: 4.'),
    alert_oldest_due_over: span.describe('Due, in an open channel. Default: 15 minutes.'),
    alert_stale_leases_for: span.describe('Expired, and not recovered. Default: 1 minute.'),
    alert_pull_lag_over: span
      .nullable()
      .describe('A pull source has failed, or was due and not read, for so long. Default: off.'),
    alert_outbox_lag_over: span.describe('Of the oldest unpublished event. Default: 5 minutes.'),
    alert_open_transaction_over: span.describe('Of the oldest one. Default: 10 minutes.'),
    alert_cooldown: span.describe('Until an alert that lasts is told again. Default: 1 hour.'),
    alert_on_installation: z
      .boolean()
      .describe('Alerts about services, outbox, transactions and disk. Default: true.'),
    snapshot_every: span.nullable().describe('A health snapshot to the targets. Default: off.'),
    events_retention: span.describe('No longer than deliveries_retention. Default: 30 days.'),
    deliveries_retention: span.describe(
      'Counted from when one was sent or failed; a dedup window that is longer counts instead. Default: 90 days.',
    ),
    ingress_receipts_retention: span.describe('Default: 2 days.'),
    ingest_runs_retention: span.describe('Default: 30 days.'),
    payload_ref_retention: span.describe('Default: 14 days.'),
    origin_retention: span.describe('Of media. Default: 30 days.'),
    origin_retention_large_video: span.describe('Default: 7 days.'),
    bot_clarify: z
      .string()
      .nullable()
      .describe('The bot’s answer to the first message that no rule matches.'),
    bot_fallback: z.string().nullable().describe('The bot’s answer to the next ones.'),
    bot_misses: z
      .int()
      .min(1)
      .max(100)
      .nullable()
      .describe('Messages in a row without a rule, before a person takes over. Default: 3.'),
    bot_escalation_text: z
      .string()
      .nullable()
      .describe('What the bot says when it hands a chat over.'),
    bot_handover: span
      .nullable()
      .describe('How long the bot is then silent. null: until it is resumed. Default: 12 hours.'),
    bot_state_timeout: span.describe('Until a dialogue is forgotten. Default: 30 minutes.'),
    bot_inbox_retention: span.describe('Of messages to the bot; 1 day or more. Default: 3 days.'),
    bot_logs_retention: span.describe('Of the bot’s record and replies. Default: 30 days.'),
    alert_bot_errors_over: z
      .int()
      .min(0)
      .describe('Failed sends of replies in ten minutes. Default: 10.'),
    alert_bot_fallback_over: z
      .number()
      .min(0)
      .max(1)
      .describe('Share of messages without a rule in an hour. Default: 0.5.'),
    alert_bot_escalation_over: span.describe(
      'How long a chat waits for a person. Default: 15 minutes.',
    ),
    alert_bot_silence_over: span
      .nullable()
      .describe('Since anything came in at a bot’s endpoint. Default: off.'),
    large_video_bytes: z.int().positive().describe('Default: 104857600.'),
  })
  .partial();
