-- What a post and a send count by stands in narrow tables: to move a pace on is no reason to judge a whole
-- configuration by its constraints again.

create table outrider.endpoint_pace (
  workspace_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  next_allowed_at timestamptz,

  constraint endpoint_pace_pkey primary key (workspace_id, endpoint_id),
  constraint a_pace_belongs_to_an_endpoint
    foreign key (workspace_id, endpoint_id) references outrider.workspace_endpoints on delete cascade
)
with (fillfactor = 50);

insert into outrider.endpoint_pace (workspace_id, endpoint_id, next_allowed_at)
select e.workspace_id, e.endpoint_id, e.next_allowed_at from outrider.workspace_endpoints e;

alter table outrider.workspace_endpoints drop column next_allowed_at;

-- The slots of a channel. Written under the lock of the channel's own row.
create table outrider.channel_pace (
  workspace_id text collate "C" not null,
  channel_id text collate "C" not null,
  next_allowed_at timestamptz,
  quiet_until timestamptz,

  constraint channel_pace_pkey primary key (workspace_id, channel_id),
  constraint a_pace_belongs_to_a_channel
    foreign key (workspace_id, channel_id) references outrider.channels (workspace_id, channel_id) on delete cascade
)
with (fillfactor = 50);

comment on column outrider.channel_pace.next_allowed_at is 'end of the last slots that are given out or promised';
comment on column outrider.channel_pace.quiet_until is 'end of the last slots that are certain';

insert into outrider.channel_pace (workspace_id, channel_id, next_allowed_at, quiet_until)
select c.workspace_id, c.channel_id, c.next_allowed_at, c.quiet_until from outrider.channels c;

-- Its body is bound to the columns.
drop function if exists outrider.channel_slot_at(outrider.channels, integer);
alter table outrider.channels drop column next_allowed_at, drop column quiet_until;

do $$
declare
  v_table text;
begin
  foreach v_table in array array['endpoint_pace', 'channel_pace'] loop
    execute format('alter table outrider.%I enable row level security, force row level security', v_table);
    execute format('create policy functions_act_for_the_workspace_they_checked on outrider.%I
      to outrider_owner using (true) with check (true)', v_table);
    execute format('create policy services_see_every_workspace on outrider.%I
      for select to outrider_service using (true)', v_table);
    execute format('create policy a_login_sees_its_workspaces on outrider.%I
      for select using (
        workspace_id in (select l.workspace_id from outrider.workspace_logins l where l.login = current_user))', v_table);
    execute format('grant select on outrider.%I to outrider_reader', v_table);
  end loop;
end;
$$;

-- What the gate says of a request (admit_request), with what taking its post in has to know.
create type outrider.admission as (
  verdict text,
  run_id text,
  retry_after_ms integer,
  endpoint outrider.workspace_endpoints,
  settings outrider.workspace_settings,
  is_active boolean
);

-- What an enqueue finds out about one channel (judge_channels).
create type outrider.judged_channel as (
  channel_id text,
  rule text,
  twin uuid,
  twin_status outrider.delivery_status,
  until timestamptz,
  occurrence integer,
  profile integer,
  not_before timestamptz
);

-- A channel whose way of composing a post others share, with its platform.
create type outrider.profile as (
  channel outrider.channels,
  platform outrider.platforms
);

-- A channel that an enqueue may start a send of, with the steps by which it and its group move on then, and what the
-- sender has to know of it.
create type outrider.startable_channel as (
  channel_id text,
  max_parallel integer,
  step interval,
  group_step interval,
  as_sent json
);
