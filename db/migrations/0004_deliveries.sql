-- The queue: messages once, deliveries per channel, what waits, and who holds what.

create table outrider.messages (
  workspace_id text collate "C" not null,
  message_id uuid not null,
  hash_version integer not null default 1,
  content_hash text collate "C" not null,
  normalization_version integer,
  payload jsonb not null,
  tags text[] not null default '{}',
  source jsonb,
  source_ref text,
  first_seen_trace_id text not null,
  first_ingest_run_id text,
  last_seen_at timestamptz not null,
  last_ingest_run_id text,
  seen_count bigint not null default 1,
  created_at timestamptz not null,

  constraint messages_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint one_message_for_each_content unique (workspace_id, hash_version, content_hash),
  constraint payload_is_text_or_media
    check (jsonb_typeof(payload) = 'object' and payload ->> 'type' in ('text', 'media')),
  constraint message_tags_are_lower_case check (tags::text = lower(tags::text)),
  constraint source_ref_is_short check (octet_length(source_ref) <= 512),
  -- Two posts without an id are not the same post.
  constraint an_empty_source_ref_is_none check (source_ref <> ''),
  constraint seen_count_is_positive check (seen_count >= 1)
);

create index messages_by_age_idx on outrider.messages (workspace_id, created_at) include (message_id);
create index messages_tags_idx on outrider.messages using gin (tags);
-- Created last and with the uuid first, as for channels: the uuid alone decides, and the planner cannot use this index
-- to scan a workspace.
alter table outrider.messages add constraint messages_pkey primary key (message_id, workspace_id);

create type outrider.delivery_status as enum
  ('queued', 'claimed', 'sending', 'sent', 'retry', 'deduped', 'failed_permanent', 'dead');

-- The columns that claiming and sending change are in no index, so that both are heap-only updates. Columns that change
-- come first and those that never change last, so that the write-ahead log holds only the difference. A page that is filled
-- to 42 % has room for all its rows as a claim leaves them and for all as a commit leaves them, side by side; at 45 % a row
-- of each page had to go to another one.
create table outrider.deliveries (
  workspace_id text collate "C" not null,
  delivery_id uuid not null,
  status outrider.delivery_status not null,
  attempt integer not null default 0,
  attempt_limit integer not null,
  outcome_unknown boolean not null default false,
  not_before timestamptz not null,
  next_retry_at timestamptz,
  waited interval,
  claimed_at timestamptz,
  sending_started_at timestamptz,
  earlier_attempts timestamptz[],
  sent_at timestamptz,
  failed_at timestamptz,
  updated_at timestamptz not null,
  claim_token uuid,
  provider_message_id text,
  last_error jsonb,
  render_meta jsonb not null default '{}',

  seq bigint generated always as identity,
  created_at timestamptz not null,
  scheduled_for timestamptz,
  message_id uuid not null,
  channel_id text collate "C" not null,
  occurrence integer,
  hash_version integer not null,
  enqueue_batch_id uuid,
  template_version text,
  trace_id text not null,
  content_hash text collate "C" not null,
  rendered_text text not null,

  constraint a_delivery_carries_a_message
    foreign key (workspace_id, message_id) references outrider.messages (workspace_id, message_id),
  constraint a_delivery_goes_to_a_channel
    foreign key (workspace_id, channel_id) references outrider.channels (workspace_id, channel_id),
  constraint a_message_meets_a_channel_once_per_occurrence
    unique (workspace_id, message_id, channel_id, occurrence),
  constraint occurrences_count_from_one_and_only_deduped_has_none
    check (coalesce(occurrence >= 1, status = 'deduped')),
  constraint attempts_stay_within_their_limit check (attempt between 0 and attempt_limit),
  constraint claimed_and_sending_hold_a_token_and_no_other_does
    check ((status in ('claimed', 'sending')) = (claim_token is not null)),
  constraint a_holder_is_dated check (claim_token is null or claimed_at is not null),
  constraint sending_is_dated check (status <> 'sending' or sending_started_at is not null),
  constraint retry_knows_when check (status <> 'retry' or next_retry_at is not null),
  constraint waited_is_positive check (waited > interval '0'),
  constraint sent_has_its_time_and_provider_id_and_no_other_does
    check ((status = 'sent') = (provider_message_id is not null) and (status = 'sent') = (sent_at is not null)),
  constraint failed_and_dead_are_dated_and_no_other_is
    check ((status in ('failed_permanent', 'dead')) = (failed_at is not null)),
  constraint provider_message_id_is_short check (octet_length(provider_message_id) <= 512),
  constraint render_meta_is_an_object check (jsonb_typeof(render_meta) = 'object')
)
with (fillfactor = 42, toast_tuple_target = 512, autovacuum_vacuum_scale_factor = 0.05);

comment on column outrider.deliveries.outcome_unknown is 'an attempt may have arrived without our knowing: the next one reconciles first, where the platform allows it';
comment on column outrider.deliveries.waited is
  'how long its platform has made it wait since its last attempt that counts; null when it has not';
comment on column outrider.deliveries.earlier_attempts is
  'when earlier attempts began, by their number; null until one has ended without success';
comment on column outrider.deliveries.seq is 'order of arrival; breaks ties of created_at';
comment on column outrider.deliveries.occurrence is 'how often this message was accepted for this channel; the next one is accepted only after the last is over and its dedup window has passed';

-- What went wrong lately, and what is dead.
create index deliveries_failed_idx on outrider.deliveries (workspace_id, failed_at) where failed_at is not null;
-- A channel's latest deliveries, and whether a channel still has any. If it began with the workspace, a planner without
-- statistics might use it to find a single delivery: on a table of some two hundred rows it is one page shorter than
-- the primary key. That plan would be kept, and would scan a workspace for every id.
create index deliveries_of_channel_idx on outrider.deliveries (channel_id, workspace_id, seq);
-- Created last, as for messages.
alter table outrider.deliveries add constraint deliveries_pkey primary key (delivery_id, workspace_id);

-- What waits: one narrow row for each delivery that is queued, in retry, or claimed with its slot
-- ahead. available_at is '-infinity' once a row is due, so that the primary key lists first what is due, in
-- order of arrival, and then the rest, by time. Written only by the triggers of deliveries, by intake and
-- by claim_deliveries.
create table outrider.delivery_queue (
  workspace_id text collate "C" not null,
  channel_id text collate "C" not null,
  available_at timestamptz not null,
  seq bigint not null,
  delivery_id uuid not null,
  claimed boolean not null default false,
  weight smallint not null default 1,

  constraint delivery_queue_pkey primary key (workspace_id, channel_id, available_at, seq),
  constraint weight_is_not_negative check (weight >= 0),
  constraint only_what_rests_has_its_slots_already check (weight > 0 or claimed)
)
with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

comment on column outrider.delivery_queue.weight is 'how many slots of its group the next call takes: as many as the platform counts it for; 0: it has its slots already, and rests until then';

-- The slots of a channel that are given out ahead of time.
create index delivery_queue_claimed_idx
  on outrider.delivery_queue (workspace_id, channel_id, available_at) where claimed;

-- Who is sending what: one row for each claim and channel. open_count deliveries of delivery_ids are
-- still being sent; the sum over a channel is what max_parallel limits. No foreign key: the deliveries
-- themselves keep their channel from being removed.
create table outrider.leases (
  workspace_id text collate "C" not null,
  claim_token uuid not null,
  channel_id text collate "C" not null,
  run_id text not null,
  lease_until timestamptz not null,
  lease_length interval not null,
  open_count integer not null,
  delivery_ids uuid[] not null,

  constraint leases_pkey primary key (workspace_id, channel_id, claim_token),
  constraint a_lease_lasts_for_some_time check (lease_length > interval '0'),
  constraint open_count_is_at_most_what_was_claimed
    check (open_count between 0 and cardinality(delivery_ids))
)
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

comment on column outrider.leases.lease_length is 'what the claim asked for, else sending_lease of the workspace; an extension adds the same';

create index leases_stale_idx on outrider.leases (lease_until);

-- How far the round over the workspaces has come, so that a restart does not favour the first ones.
create table outrider.dispatcher_state (
  dispatcher text collate "C" not null,
  workspace_id_last text collate "C" not null default '',
  updated_at timestamptz not null,

  constraint dispatcher_state_pkey primary key (dispatcher)
);

-- What a claim may take from one channel, and what it needs to know to give out slots (lock_lanes). pace_tid and
-- group_tid are the rows that hold the next free slot of the channel and of its group.
create type outrider.lane as (
  channel_id text,
  pace_tid tid,
  room integer,
  allowance integer,
  step interval,
  next_slot timestamptz,
  quiet_until timestamptz,
  promised integer,
  group_no integer,
  group_tid tid,
  group_step interval,
  group_next_slot timestamptz
);

-- A delivery that a claim has locked, its place in the queue and its slot (pick_deliveries, allot_slots). `lane` is the
-- place of its channel in the list of lanes.
create type outrider.picked_delivery as (
  queue_tid tid,
  delivery_tid tid,
  lane integer,
  weight smallint,
  slot timestamptz
);
