-- The record of why. No foreign keys, so that writing stays cheap; partitioned by time, so that
-- forgetting is a drop.

create type outrider.event_action as enum (
  'enqueue', 'validation_failed', 'send_attempt', 'sent', 'retry_scheduled', 'dedup_suppressed',
  'failed_permanent', 'dead_letter', 'channel_paused', 'channel_disabled', 'channel_enabled',
  'message_tag_mismatch', 'sending_lease_expired', 'claimed_lease_expired', 'manual_requeue',
  'auth_rotated', 'ingress_rate_limited', 'ingress_payload_rejected', 'ingress_dedup_dropped',
  'group_cooled_down', 'claim_returned', 'claim_released'
);

create type outrider.event_result as enum ('ok', 'error');

create table outrider.events (
  workspace_id text collate "C" not null,
  id uuid not null,
  delivery_id uuid,
  message_id uuid,
  channel_id text collate "C",
  ts timestamptz not null,
  action outrider.event_action not null,
  attempt integer not null,
  result outrider.event_result not null,
  error jsonb,
  payload_ref text,
  meta jsonb not null default '{}',

  constraint events_pkey primary key (workspace_id, ts, id),
  constraint events_without_a_delivery_have_no_attempt check (delivery_id is not null or attempt = 0)
)
partition by range (ts);

create table outrider.events_default partition of outrider.events default;

-- The timeline of a delivery.
create index events_of_delivery_idx on outrider.events (delivery_id, workspace_id) where delivery_id is not null;
-- The error stream.
create index events_errors_idx on outrider.events (workspace_id, ts) where result = 'error';
-- By action, for all but the three that every delivery writes.
create index events_by_action_idx on outrider.events (workspace_id, action, ts)
  where action not in ('enqueue', 'send_attempt', 'sent');
-- What befell a channel or a message outside of any delivery; the rest is found through its deliveries.
create index events_of_channel_idx on outrider.events (workspace_id, channel_id, ts)
  where delivery_id is null and channel_id is not null;
create index events_of_message_idx on outrider.events (workspace_id, message_id, ts)
  where delivery_id is null and message_id is not null;
