-- When each pull source is read next, who reads it now, and how it is doing.

alter type outrider.event_action add value 'pull_failed';
alter type outrider.event_action add value 'pull_recovered';
alter type outrider.event_action add value 'media_left_out';
alter type outrider.event_action add value 'manual_pull';

alter table outrider.pull_cursors
  add column next_pull_at timestamptz,
  add column pulled_at timestamptz,
  add column items_taken bigint not null default 0,
  add column last_item_at timestamptz,
  add column failures integer not null default 0,
  add column failing_since timestamptz,
  add column last_error text,
  add column lease_token uuid,
  add column lease_until timestamptz,
  add column leased_by text,
  add column held_item text collate "C",
  add column held_pulls integer not null default 0;

comment on table outrider.pull_cursors is 'how far each pull source was read, and when it is read next; a row is made with its source';
comment on column outrider.pull_cursors.next_pull_at is
  'since when, or from when on, it is due; null: no puller reads it, because it is disabled or its config says `every: never`';
comment on column outrider.pull_cursors.pulled_at is 'when it was last read to its end';
comment on column outrider.pull_cursors.items_taken is 'how many items were ever taken from it';
comment on column outrider.pull_cursors.failures is 'pulls in a row that failed';
comment on column outrider.pull_cursors.last_error is 'why the last of them failed, masked';
comment on column outrider.pull_cursors.leased_by is 'the run of the puller that has the lease';
comment on column outrider.pull_cursors.held_item is
  'the item before which the last pull ended, because a medium of it could not be had';
comment on column outrider.pull_cursors.held_pulls is 'how many pulls in a row ended before that item';

insert into outrider.pull_cursors (workspace_id, source_id, cursor_json, updated_at)
select s.workspace_id, s.source_id, '{}', s.created_at from outrider.pull_sources s
on conflict do nothing;

-- Programs have read these sources so far. Now pullers do, so the sources are due.
update outrider.pull_cursors c
set next_pull_at = c.updated_at
from outrider.pull_sources s
where s.workspace_id = c.workspace_id and s.source_id = c.source_id and s.enabled;

update outrider.pull_cursors c
set items_taken = r.items, last_item_at = r.last_at, pulled_at = c.updated_at
from (
  select workspace_id, source_id, count(*) as items, max(received_at) as last_at
  from outrider.pull_receipts group by 1, 2
) r
where r.workspace_id = c.workspace_id and r.source_id = c.source_id;

alter table outrider.pull_cursors
  add constraint a_lease_has_a_token_an_end_and_an_owner
    check (num_nonnulls(lease_token, lease_until, leased_by) in (0, 3)),
  add constraint a_failing_source_says_why_and_since_when
    check (failures >= 0 and (failures > 0) = (failing_since is not null) and (failures > 0) = (last_error is not null)),
  add constraint last_error_is_short check (length(last_error) <= 500),
  add constraint a_held_item_is_counted check (held_pulls >= 0 and (held_item is not null) = (held_pulls > 0)),
  add constraint held_item_is_short check (octet_length(held_item) <= 512),
  add constraint taken_items_are_not_negative check (items_taken >= 0),
  add constraint a_source_is_due_at_some_time check (isfinite(next_pull_at));

-- What is due, the longest first.
create index pull_cursors_due_idx on outrider.pull_cursors (next_pull_at) where next_pull_at is not null;

-- A source as its puller gets it: all that it needs, so that no second query follows.
create type outrider.claimed_source as (
  workspace_id text,
  source_id text,
  kind text,
  config jsonb,
  cursor jsonb,
  lease_token uuid,
  lease_ms bigint,
  claimed_at timestamptz,
  failures integer,
  held_item text,
  held_pulls integer,
  auth_ref text,
  secret_ref text,
  platform text,
  rate_group text
);
