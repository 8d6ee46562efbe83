-- Why an event was given up, and who passed one over.

alter table outrider.outbox_backoff
  add column given_up text,
  drop constraint backoff_ends_some_day,
  add constraint only_refused_events_wait_for_ever check ((not_before < 'infinity') = (given_up is distinct from 'refused')),
  add constraint events_are_given_up_refused_or_at_their_limit check (given_up in ('refused', 'attempts'));

comment on column outrider.outbox_backoff.given_up is
  'refused: the broker will never take the event; attempts: it failed as often as the publisher tries; null: it is tried again';

-- What a broker has refused for good.
create index outbox_backoff_refused_idx on outrider.outbox_backoff (failed_at) where given_up = 'refused';

comment on column outrider.outbox_events.published_at is
  'when a broker confirmed it; or when it was passed over, which last_error then says';

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

-- The nil UUID is what programs send that have forgotten to make one.
alter table outrider.outbox_events
  add constraint events_have_ids_of_their_own check (id <> '00000000-0000-0000-0000-000000000000'),
  add constraint aggregates_have_ids_of_their_own check (aggregate_id <> '00000000-0000-0000-0000-000000000000');
alter table outrider.processed_events
  add constraint processed_events_have_ids_of_their_own check (event_id <> '00000000-0000-0000-0000-000000000000');
