-- Counts what purge_workspaces would delete, in all workspaces.
--
-- Concurrency: locks nothing. Reads the tables from end to end.
create or replace function outrider.count_expired(p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  stable
as $$
declare
  v_longest constant interval := (select max(s.events_retention) from outrider.workspace_settings s);
  v_midnight constant timestamptz := date_trunc('day', p_now - v_longest, 'UTC');
begin
  return query select x.* from outrider.count_expired_bot(p_now) as x;

  return query
  select 'events', e.workspace_id, count(*), false, null::text
  from outrider.event_log e
  join outrider.workspace_settings s on s.workspace_id = e.workspace_id
  where e.ts < p_now - s.events_retention
    -- Those of the longest retention go with the whole of their day.
    and (s.events_retention < v_longest or e.ts < v_midnight or e.tableoid = 'outrider.events_default'::regclass)
  group by e.workspace_id;

  return query
  select 'ingest_runs', r.workspace_id, count(*), false, null::text
  from outrider.ingest_runs r
  join outrider.workspace_settings s on s.workspace_id = r.workspace_id
  where r.started_at < p_now - s.ingest_runs_retention
  group by r.workspace_id;

  -- No delivery and no message goes before its events.
  return query
  with ended as materialized (
    select d.workspace_id, d.message_id, coalesce(
      case
        when d.status in ('sent', 'deduped')
          then coalesce(d.sent_at, d.updated_at) < p_now - outrider.kept_for(s.deliveries_retention, c.dedup_ttl_hours)
        else d.failed_at < p_now - s.deliveries_retention
      end and greatest(d.sent_at, d.failed_at, d.updated_at) < f.first_event, false) as goes
    from outrider.workspace_settings s
    cross join lateral (select outrider.first_event_left(s, v_longest, p_now) as first_event) f
    join outrider.deliveries d on d.workspace_id = s.workspace_id
    join outrider.channels c on c.workspace_id = d.workspace_id and c.channel_id = d.channel_id
  )
  select 'deliveries', e.workspace_id, count(*), false, null::text from ended e where e.goes group by e.workspace_id
  union all
  select 'messages', m.workspace_id, count(*), false, null
  from outrider.workspace_settings s
  cross join lateral (select outrider.first_event_left(s, v_longest, p_now) as first_event) f
  join outrider.messages m on m.workspace_id = s.workspace_id
  where m.last_seen_at < least(p_now - s.deliveries_retention, f.first_event)
    and not exists (select from ended e where e.workspace_id = m.workspace_id and e.message_id = m.message_id and not e.goes)
  group by m.workspace_id;
end;
$$;
