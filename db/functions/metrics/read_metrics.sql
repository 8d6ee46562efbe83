create or replace function outrider.read_metrics(
  p_workspace_limit integer default 100,
  p_channel_limit integer default 500,
  p_now timestamptz default clock_timestamp()
)
  returns table (metric text, labels jsonb, value double precision)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_workspaces text[];
  v_channels integer;
begin
  perform outrider.require_count('read_metrics', p_workspace_limit, 10000, 'workspace_limit');
  perform outrider.require_count('read_metrics', p_channel_limit, 100000, 'channel_limit');
  perform outrider.require_time('read_metrics', p_now);

  v_workspaces := array(
    select w.workspace_id from outrider.workspaces w order by w.created_at, w.workspace_id limit p_workspace_limit);
  select count(*)::integer into v_channels from unnest(v_workspaces) as w (workspace_id)
  join outrider.channels c on c.workspace_id = w.workspace_id;

  return query select s.* from outrider.counter_samples(v_workspaces) s;
  return query select s.* from outrider.channel_counter_samples(v_workspaces, p_channel_limit) s;
  return query select s.* from outrider.queue_samples(v_workspaces, v_channels, p_channel_limit, p_now) s;
  return query select s.* from outrider.workspace_samples(v_workspaces, p_now) s;
  return query select s.* from outrider.source_samples(v_workspaces, p_channel_limit, p_now) s;
  return query select s.* from outrider.installation_samples(p_now) s;
end;
$$;

comment on function outrider.read_metrics is $doc$What /metrics shows of the database: counters as count_metrics has counted them, and how things stand now. Its cost does
not grow with the number of deliveries that were ever made: a scrape may call it every few seconds.

The first p_workspace_limit workspaces, by their age, have values of their own. The counters of the others are summed up
under the label "_other". The first p_channel_limit channels and pull sources have values of their own; all of them count in the
sums of their workspace. Deliveries that wait are counted up to 1,000,000 in all, but at least 10,000 of each channel; of
those that wait for a later time, the next ones are looked at to tell which are retried.
Returns: a row for each value: the metric, its labels, the value.
Raises: OR001.$doc$;

grant execute on function outrider.read_metrics to outrider_service;
