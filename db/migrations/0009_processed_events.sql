-- Which events a consumer has processed, or is processing: each effect of an event is applied once, although the
-- event may be delivered more than once. Like the outbox it belongs to no workspace.

create type outrider.processing_state as enum ('leased', 'processed');

create table outrider.processed_events (
  consumer text collate "C" not null,
  event_id uuid not null,
  state outrider.processing_state not null,
  -- Who holds the lease, or held it last; null for a mark that was made without one.
  owner uuid,
  -- Until when nobody else may process the event; after that the lease does not count any more.
  lease_until timestamptz,
  -- Until when the mark counts. For a lease: when its row may be cleared away, if nobody came back to it.
  expires_at timestamptz not null,

  constraint processed_events_pkey primary key (consumer, event_id),
  constraint processed_events_have_ids_of_their_own check (event_id <> '00000000-0000-0000-0000-000000000000'),
  constraint consumer_is_a_short_name check (consumer ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
  constraint a_lease_has_an_owner_and_an_end_and_a_mark_has_no_end check (
    case state when 'leased' then owner is not null and lease_until is not null else lease_until is null end
  )
);

-- What may be cleared away. Leases are extended without touching it.
create index processed_events_expired_idx on outrider.processed_events (expires_at);

grant usage on schema outrider to outrider_consumer;
