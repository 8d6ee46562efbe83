-- How long things are kept, and how far the purge has come in each workspace.

alter table outrider.workspace_settings
  add column ingest_runs_retention interval not null default '30 days';
comment on column outrider.workspace_settings.ingest_runs_retention is 'How long runs of intake are kept.';

-- Nothing was deleted so far: what has to be kept for its events is there.
update outrider.workspace_settings
set deliveries_retention = events_retention
where events_retention > deliveries_retention;

alter table outrider.workspace_settings
  add constraint runs_are_kept_for_some_time
    check (ingest_runs_retention > interval '0' and ingest_runs_retention <= interval '1000 years'),
  -- outrider.events takes the times of packed events from their deliveries.
  add constraint no_event_outlives_its_delivery check (events_retention <= deliveries_retention);

-- Once a day the purge goes through a workspace, in small batches, from its oldest rows on. Here stands when it goes
-- through it next and, while it is under way, how far it has come. A row is made together with its workspace.
create table outrider.retention_sweeps (
  workspace_id text collate "C" not null,
  due_at timestamptz not null,
  channel_id text collate "C" not null default '',
  seq bigint default 0,
  message_created_at timestamptz not null default '-infinity',
  message_id uuid not null default '00000000-0000-0000-0000-000000000000',
  orphaned_events integer not null default 0,

  constraint retention_sweeps_pkey primary key (workspace_id),
  constraint a_sweep_is_of_a_workspace
    foreign key (workspace_id) references outrider.workspaces on delete cascade
);

insert into outrider.retention_sweeps (workspace_id, due_at)
select workspace_id, created_at from outrider.workspaces;

comment on column outrider.retention_sweeps.due_at is 'when the next sweep begins; past while one is under way';
comment on column outrider.retention_sweeps.channel_id is 'the channel whose deliveries were looked at last, in the order of ids';
comment on column outrider.retention_sweeps.seq is 'the last of its deliveries that was looked at; null when all were';
comment on column outrider.retention_sweeps.orphaned_events is
  'how many events the last whole sweep found whose delivery or message is gone (reconcile_events); 1000 stands for more';
comment on column outrider.retention_sweeps.message_created_at is 'the message that was looked at last, by its time and id';

do $$
declare
  v_table constant text := 'retention_sweeps';
begin
  execute format('alter table outrider.%I enable row level security', v_table);
  execute format('alter table outrider.%I force row level security', v_table);
  execute format(
    'create policy functions_act_for_the_workspace_they_checked on outrider.%I
       to outrider_owner using (true) with check (true)', v_table);
  execute format(
    'create policy services_see_every_workspace on outrider.%I
       for select to outrider_service using (true)', v_table);
  execute format(
    'create policy a_login_sees_its_workspaces on outrider.%I
       for select using (
         workspace_id in (
           select l.workspace_id from outrider.workspace_logins l where l.login = current_user))',
    v_table);
  execute format('grant select on outrider.%I to outrider_reader', v_table);
end;
$$;

-- The purge looks for strays in the default partition alone.
create policy functions_act_for_the_workspace_they_checked on outrider.events_default
  to outrider_owner using (true) with check (true);

-- What a step of the purge removed, or would remove, of one kind; workspace_id is null where that is of no workspace.
-- `more`: it had a limit, and may find more at once. `note`: why something was left.
create type outrider.purged as (
  what text,
  workspace_id text,
  removed bigint,
  more boolean,
  note text
);
