-- Counters that last, for /metrics: what has happened since counting began. count_metrics adds to them what the event
-- log, the runs of intake, the logs of bots, the alerts and the outbox have since it last counted; nothing that sends
-- or takes posts in writes here.
create table outrider.metric_counters (
  workspace_id text collate "C" not null,
  metric text collate "C" not null,
  platform text collate "C" not null default '',
  channel_id text collate "C" not null default '',
  label text collate "C" not null default '',
  value bigint not null,

  constraint metric_counters_pkey primary key (workspace_id, metric, platform, channel_id, label),
  constraint metric_counters_belong_to_a_workspace
    foreign key (workspace_id) references outrider.workspaces on delete cascade,
  constraint counters_count_from_zero check (value >= 0)
)
with (fillfactor = 70);

comment on column outrider.metric_counters.metric is 'the name in /metrics';
comment on column outrider.metric_counters.channel_id is 'the channel that it was counted for; empty where there is none';
comment on column outrider.metric_counters.label is 'the value of the one more label that the metric has; several have a "/" between';

do $$
declare
  v_table constant text := 'metric_counters';
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

-- How far has been counted, and the counters of the outbox, whose events belong to no workspace. It has one row, which
-- whoever counts has locked.
create table outrider.metrics_counted (
  name text collate "C" not null default 'all',
  counted_to timestamptz,
  events_published bigint not null default 0,
  events_skipped bigint not null default 0,

  constraint metrics_counted_pkey primary key (name),
  constraint one_row_tells_how_far_has_been_counted check (name = 'all'),
  constraint events_are_counted_from_zero check (events_published >= 0 and events_skipped >= 0)
);

insert into outrider.metrics_counted (name) values ('all');

comment on column outrider.metrics_counted.counted_to is 'everything before it is counted, and nothing from then on';

-- A value of a metric, as a scrape reads it.
create type outrider.metric_sample as (
  metric text,
  labels jsonb,
  value double precision
);
