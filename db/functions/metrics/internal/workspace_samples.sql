-- How late each workspace is, its open alerts and the answers of its bots that wait, as samples.
create or replace function outrider.workspace_samples(p_workspaces text[], p_now timestamptz)
  returns setof outrider.metric_sample
  language plpgsql
  stable
as $$
begin
  return query
  select
    'outrider_oldest_due_seconds', jsonb_build_object('workspace', w.workspace_id),
    coalesce(greatest(0, extract(epoch from p_now - (o.oldest ->> 'due_since')::timestamptz)), 0)::double precision
  from unnest(p_workspaces) as w (workspace_id)
  cross join lateral (
    select outrider.oldest_due(w.workspace_id, array(
      select c.channel_id from outrider.channels c where c.workspace_id = w.workspace_id), p_now) as oldest
  ) o;

  return query
  select
    'outrider_alerts_open', jsonb_build_object('workspace', w.workspace_id, 'severity', s.severity::text),
    (select count(*) from outrider.alerts a
      where a.workspace_id = w.workspace_id and a.resolved_at is null and a.severity = s.severity)::double precision
  from unnest(p_workspaces) as w (workspace_id)
  cross join unnest(enum_range(null::outrider.alert_severity)) as s (severity);

  return query
  select
    'outrider_bot_replies_waiting', jsonb_build_object('workspace', w.workspace_id, 'platform', b.provider),
    count(*)::double precision
  from unnest(p_workspaces) as w (workspace_id)
  cross join lateral (
    select x.provider from outrider.bot_outbox x
    where x.workspace_id = w.workspace_id and x.status in ('waiting', 'sending')
    order by x.provider, x.chat_id, x.seq
    limit 10000
  ) b
  group by w.workspace_id, b.provider;
end;
$$;
