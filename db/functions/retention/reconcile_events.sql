create or replace function outrider.reconcile_events(
  p_workspace_id text,
  p_limit integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (event_id uuid, ts timestamptz, action outrider.event_action, missing text, missing_id text)
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
#variable_conflict use_column
declare
  v_recent constant timestamptz := p_now - interval '2 days';
  v_first timestamptz;
begin
  perform outrider.require_workspace('reconcile_events', p_workspace_id);
  perform outrider.require_count('reconcile_events', p_limit, 1000);
  perform outrider.require_time('reconcile_events', p_now);
  v_first := outrider.first_event_at(p_workspace_id);

  return query
  select e.id, e.ts, e.action, o.missing, o.missing_id
  from (
    (
      select l.* from outrider.event_log l where l.workspace_id = p_workspace_id and l.ts >= v_recent
      order by l.ts desc
      limit 20000
    )
    union all
    (
      select l.* from outrider.event_log l
      where l.workspace_id = p_workspace_id and l.ts >= v_first and l.ts < least(v_first + interval '2 days', v_recent)
      order by l.ts
      limit 20000
    )
  ) e
  cross join lateral (
    select 'delivery', r.delivery_id::text
    from unnest(case when e.delivery_ids is null then array[e.delivery_id] else e.delivery_ids end) as r (delivery_id)
    where r.delivery_id is not null and not exists (
      select from outrider.deliveries d where (array[d.workspace_id])[1] = e.workspace_id and d.delivery_id = r.delivery_id)
    union all
    select 'message', e.message_id::text
    where e.message_id is not null and not exists (
      select from outrider.messages m where (array[m.workspace_id])[1] = e.workspace_id and m.message_id = e.message_id)
    union all
    select 'channel', e.channel_id
    where e.channel_id is not null and not exists (
      select from outrider.channels c where (array[c.workspace_id])[1] = e.workspace_id and c.channel_id = e.channel_id)
  ) o (missing, missing_id)
  order by e.ts desc, e.id, o.missing, o.missing_id
  limit p_limit;
end;
$$;

comment on function outrider.reconcile_events is $doc$Finds orphans of the event log: events whose delivery, message or channel is not there. The log has no foreign keys,
so that writing it stays cheap.

Looks at the latest events of the last two days, where a writer would leave orphans, and at the oldest of the two oldest
days that are left, where a purge would: 20,000 rows of the log each. A channel that was removed from the configuration leaves its own events behind lawfully.
Returns: p_limit rows at most, the latest first; `missing` is delivery, message or channel, `missing_id` what the event
names. A packed event has a row for each delivery that is missing.
Plans: `(array[d.workspace_id])[1]` is d.workspace_id in a form that no index can search by, so that each id is looked up
by itself: without statistics PostgreSQL would read a whole workspace for every event.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.reconcile_events to outrider_reader;
