-- The record of what happened, and why. It has no foreign keys, so that writing stays cheap. It is partitioned by time,
-- so that old events go when a partition is dropped.
--
-- Events that every delivery has (it was queued, is being sent, was sent) are written once for many deliveries: such a
-- row of the log is packed, and names the deliveries in delivery_ids. Every other event is a row of its own. The view
-- outrider.events shows each delivery's events one by one.

create type outrider.event_action as enum (
  'enqueue', 'validation_failed', 'send_attempt', 'sent', 'retry_scheduled', 'dedup_suppressed',
  'failed_permanent', 'dead_letter', 'channel_paused', 'channel_disabled', 'channel_enabled',
  'message_tag_mismatch', 'sending_lease_expired', 'claimed_lease_expired', 'manual_requeue',
  'auth_rotated', 'ingress_rate_limited', 'ingress_payload_rejected', 'ingress_dedup_dropped',
  'group_cooled_down', 'claim_returned', 'claim_released', 'channel_moved', 'group_closed', 'group_opened',
  'channel_resumed', 'endpoint_secret_changed'
);

create type outrider.event_result as enum ('ok', 'error');

-- delivery_ids has at most a hundred ids, so that they stay in the row itself (storage main). PostgreSQL does not know
-- what it costs to fetch larger values, and would read them all rather than use an index.
create table outrider.event_log (
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
  delivery_ids uuid[],

  constraint event_log_pkey primary key (workspace_id, ts, id),
  constraint events_without_a_delivery_have_no_attempt check (delivery_id is not null or attempt = 0),
  constraint only_what_every_delivery_goes_through_is_packed check (
    delivery_ids is null or (delivery_id is null and action in ('enqueue', 'send_attempt', 'sent'))
  )
)
partition by range (ts);

alter table outrider.event_log alter column delivery_ids set storage main;

create table outrider.events_default partition of outrider.event_log default;

comment on table outrider.event_log is 'what happened, as it is written; outrider.events shows it';
comment on column outrider.event_log.delivery_ids is
  'the deliveries of a packed event; each has its time: created_at (enqueue), sending_started_at or one of earlier_attempts (send_attempt), sent_at (sent)';

-- The timeline of a delivery.
create index event_log_of_delivery_idx on outrider.event_log (delivery_id, workspace_id) where delivery_id is not null;
-- The error stream.
create index event_log_errors_idx on outrider.event_log (workspace_id, ts) where result = 'error';
-- By action, for all but the three that every delivery writes.
create index event_log_by_action_idx on outrider.event_log (workspace_id, action, ts)
  where action not in ('enqueue', 'send_attempt', 'sent');
-- What happened to a channel or a message outside of any delivery; the rest is found through its deliveries.
create index event_log_of_channel_idx on outrider.event_log (workspace_id, channel_id, ts)
  where delivery_id is null and channel_id is not null;
-- The packed events of a delivery; the row of the delivery tells their times and their message.
create index event_log_packed_idx on outrider.event_log (workspace_id, ts, message_id) where delivery_ids is not null;
create index event_log_of_message_idx on outrider.event_log (workspace_id, message_id, ts)
  where delivery_id is null and message_id is not null and delivery_ids is null;
