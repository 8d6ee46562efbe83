-- What the status page shows over time: how full the queue was, and what became of deliveries in each channel, five minutes by
-- five minutes. Counting it anew for every page view would read millions of rows.

-- The fullest moment of each five minutes.
create table outrider.queue_samples (
  workspace_id text collate "C" not null,
  at timestamptz not null,
  due integer not null,
  scheduled integer not null,
  retrying integer not null,
  claimed integer not null,
  sending integer not null,

  constraint queue_samples_pkey primary key (workspace_id, at),
  constraint queue_samples_belong_to_a_workspace
    foreign key (workspace_id) references outrider.workspaces on delete cascade,
  constraint queue_samples_stand_for_five_minutes check (extract(epoch from at) % 300 = 0),
  constraint queue_samples_count_from_zero check (least(due, scheduled, retrying, claimed, sending) >= 0)
);

comment on column outrider.queue_samples.at is 'when its five minutes begin';

-- What became of deliveries. A channel in which nothing happened has no row. No foreign key to channels: the past of a channel that
-- was removed goes with its time.
create table outrider.channel_samples (
  workspace_id text collate "C" not null,
  at timestamptz not null,
  channel_id text collate "C" not null,
  sent integer not null,
  retried integer not null,
  failed integer not null,

  constraint channel_samples_pkey primary key (workspace_id, at, channel_id),
  constraint channel_samples_belong_to_a_workspace
    foreign key (workspace_id) references outrider.workspaces on delete cascade,
  constraint channel_samples_stand_for_five_minutes check (extract(epoch from at) % 300 = 0),
  constraint channel_samples_count_something check (least(sent, retried, failed) >= 0 and greatest(sent, retried, failed) > 0)
);

comment on column outrider.channel_samples.at is 'when its five minutes begin';
comment on column outrider.channel_samples.failed is 'refused for good, refused by the checks before queueing, or dead';

-- How far the samples of a workspace have come. Whoever takes samples locks the row.
create table outrider.sample_rounds (
  workspace_id text collate "C" not null,
  sampled_at timestamptz not null,
  counted_until timestamptz not null,

  constraint sample_rounds_pkey primary key (workspace_id),
  constraint sample_rounds_belong_to_a_workspace
    foreign key (workspace_id) references outrider.workspaces on delete cascade
);

comment on column outrider.sample_rounds.counted_until is 'what happened until then is in channel_samples';

do $$
declare
  v_table text;
begin
  foreach v_table in array array['queue_samples', 'channel_samples', 'sample_rounds'] loop
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
  end loop;
end;
$$;
