-- The transactional outbox: domain events that an application writes in its own transaction, and what is known about
-- their way to a broker. It shares nothing with deliveries.
--
-- The enums, the columns of outbox_events and the indexes on (published_at), (event_type) and (aggregate_type,
-- aggregate_id) are a published contract.

create type outrider.event_type_enum as enum (
  'order_created', 'order_state_changed', 'line_item_state_changed', 'license_status_changed', 'media_uploaded',
  'payment_settled', 'cash_collected', 'vendor_payout_recorded', 'notification_requested',
  'order_expired', 'order_canceled', 'reservation_released',
  'ad_created', 'ad_updated', 'ad_paused', 'ad_activated', 'ad_expired', 'ad_daily_rollup_ready'
);

create type outrider.aggregate_type_enum as enum (
  'vendor_order', 'checkout_group', 'license', 'store', 'media', 'ledger_event', 'notification', 'ad'
);

create table outrider.outbox_events (
  id uuid not null,
  event_type outrider.event_type_enum not null,
  aggregate_type outrider.aggregate_type_enum not null,
  aggregate_id uuid not null,
  payload_json jsonb not null,
  created_at timestamptz not null default now(),
  published_at timestamptz,
  attempt_count integer not null default 0,
  last_error text,

  constraint outbox_events_pkey primary key (id),
  -- A program that forgets to make an id sends the nil UUID.
  constraint events_have_ids_of_their_own check (id <> '00000000-0000-0000-0000-000000000000'),
  constraint aggregates_have_ids_of_their_own check (aggregate_id <> '00000000-0000-0000-0000-000000000000'),
  constraint envelope_has_the_id_of_its_event check (coalesce(payload_json ->> 'eventId' = id::text, false)),
  constraint envelope_has_a_whole_version_from_one_on check (
    coalesce(payload_json @@ 'strict $.version.type() == "number" && $.version >= 1 && $.version.floor() == $.version', false)
  ),
  constraint envelope_says_when_it_occurred check (coalesce(jsonb_typeof(payload_json -> 'occurredAt') = 'string', false)),
  constraint envelope_holds_data check (payload_json ? 'data'),
  constraint envelope_has_an_object_as_actor_or_none check (coalesce(jsonb_typeof(payload_json -> 'actor') = 'object', true)),
  constraint an_event_has_its_place_in_time check (isfinite(created_at)),
  constraint failed_attempts_count_from_zero check (attempt_count >= 0),
  constraint a_failed_attempt_leaves_its_error
    check (attempt_count = 0 or last_error is not null or published_at is not null),
  constraint last_error_is_cut_short check (length(last_error) <= 1000)
)
-- Every event leaves one dead row when it is published.
with (autovacuum_vacuum_scale_factor = 0.05);

comment on table outrider.outbox_events is
  'Append-only: of an event only published_at, attempt_count and last_error ever change.';
comment on column outrider.outbox_events.published_at is
  'when a broker confirmed it, or when it was passed over; last_error says so then';
comment on column outrider.outbox_events.attempt_count is 'failed attempts since it was emitted or replayed';
comment on column outrider.outbox_events.last_error is
  'why it is not published: the last failure, or the earlier event of its aggregate that it waits for';

create index outbox_events_published_idx on outrider.outbox_events (published_at);
create index outbox_events_of_type_idx on outrider.outbox_events (event_type);
create index outbox_events_of_aggregate_idx on outrider.outbox_events (aggregate_type, aggregate_id);
-- How much waits, and since when.
create index outbox_events_unpublished_idx on outrider.outbox_events (created_at, id) where published_at is null;
-- The events of an aggregate that wait, in their order.
create index outbox_events_sequence_idx
  on outrider.outbox_events (aggregate_type, aggregate_id, created_at, id) where published_at is null;
-- What a fetch takes next. Events that failed, and those that wait behind one that failed, have an error and stand in
-- the two tables below instead: however many they are, a fetch does not read them here. Created last: the planner takes
-- the newest of several indexes that look equally good, as all do on an empty table.
create index outbox_events_untried_idx
  on outrider.outbox_events (created_at, id) where published_at is null and last_error is null;

-- Events that failed, or were replayed: when they may be tried again. Written by mark_publish_failed,
-- replay_outbox_events and a fetch, and kept in step by a trigger of outbox_events.
create table outrider.outbox_backoff (
  event_id uuid not null,
  attempt_count integer not null,
  not_before timestamptz not null,
  failed_at timestamptz,
  given_up text,

  constraint outbox_backoff_pkey primary key (event_id),
  constraint events_are_given_up_refused_or_at_their_limit check (given_up in ('refused', 'attempts')),
  constraint only_refused_events_wait_for_ever check ((not_before < 'infinity') = (given_up is distinct from 'refused'))
)
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

comment on column outrider.outbox_backoff.attempt_count is
  'copied from the event, so that events at the limit are left out without being read';

comment on column outrider.outbox_backoff.given_up is
  'refused: the broker will never take the event; attempts: it failed as often as the publisher tries; null: it is tried again';

-- What is due, for any limit of attempts.
create index outbox_backoff_due_idx on outrider.outbox_backoff (attempt_count, not_before);
-- What failed last.
create index outbox_backoff_latest_idx on outrider.outbox_backoff (failed_at, event_id) where failed_at is not null;
-- What a broker has refused for good.
create index outbox_backoff_refused_idx on outrider.outbox_backoff (failed_at) where given_up = 'refused';

-- Events that were never tried because an earlier one of their aggregate is in backoff or at its limit, in the order
-- in which they are released when that one is published. Only a fetch that keeps the order of aggregates parks events.
create table outrider.outbox_parked (
  aggregate_type outrider.aggregate_type_enum not null,
  aggregate_id uuid not null,
  created_at timestamptz not null,
  event_id uuid not null,

  constraint outbox_parked_pkey primary key (aggregate_type, aggregate_id, created_at, event_id)
)
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Who had which events tried again, and why.
create table outrider.outbox_replays (
  replay_id uuid not null,
  replayed_at timestamptz not null,
  operator text not null,
  reason text not null,
  event_ids uuid[] not null,

  constraint outbox_replays_pkey primary key (replay_id),
  constraint a_replay_has_events check (cardinality(event_ids) > 0)
);

-- Who passed over which events, and why.
create table outrider.outbox_skips (
  skip_id uuid not null,
  skipped_at timestamptz not null,
  operator text not null,
  reason text not null,
  event_ids uuid[] not null,

  constraint outbox_skips_pkey primary key (skip_id),
  constraint a_skip_has_events check (cardinality(event_ids) > 0)
);

create type outrider.publish_order as enum ('none', 'aggregate');
comment on type outrider.publish_order is
  'aggregate: an event waits until every earlier one of its aggregate is published; none: it does not';

grant usage on schema outrider to outrider_emitter, outrider_publisher, outrider_retention;
