-- The counters of workspaces, as samples. Those of workspaces beyond p_workspaces are summed up under "_other", which no
-- workspace can be called. What has not happened yet is 0: a counter that begins with its first event would hide it
-- from whoever asks by how much it grew.
create or replace function outrider.counter_samples(p_workspaces text[])
  returns setof outrider.metric_sample
  language plpgsql
  stable
as $$
begin
  return query
  select m.metric, jsonb_build_object('workspace', m.workspace) || l.labels, sum(m.value)::double precision
  from (
    select
      c.metric, c.platform, c.label, c.value,
      case when c.workspace_id = any (p_workspaces) then c.workspace_id else '_other' end as workspace
    from outrider.metric_counters c
    union all
    select 'outrider_deliveries_total', p.platform, o.outcome, 0, p.workspace_id
    from (
      select distinct c.workspace_id, c.platform
      from unnest(p_workspaces) as w (workspace_id)
      join outrider.channels c on c.workspace_id = w.workspace_id
    ) p
    cross join unnest(array['sent', 'retry', 'failed_permanent', 'dead', 'deduped', 'validation_failed']) as o (outcome)
    union all
    select z.metric, '', z.label, 0, w.workspace_id
    from unnest(p_workspaces) as w (workspace_id)
    cross join (values
      ('outrider_deliveries_queued_total', ''), ('outrider_send_attempts_total', ''),
      ('outrider_posts_total', 'push/accepted'), ('outrider_posts_total', 'push/rejected'),
      ('outrider_posts_total', 'push/repeated'), ('outrider_posts_total', 'push/rate_limited'),
      ('outrider_alerts_opened_total', 'info'), ('outrider_alerts_opened_total', 'warning'),
      ('outrider_alerts_opened_total', 'critical')
    ) as z (metric, label)
  ) m
  cross join lateral (
    select case m.metric
      when 'outrider_deliveries_total' then jsonb_build_object('platform', m.platform, 'outcome', m.label)
      when 'outrider_events_total' then jsonb_build_object('action', m.label)
      when 'outrider_posts_total' then
        jsonb_build_object('kind', split_part(m.label, '/', 1), 'verdict', split_part(m.label, '/', 2))
      when 'outrider_bot_turns_total' then jsonb_build_object('platform', m.platform, 'action', m.label)
      when 'outrider_bot_reply_failures_total' then jsonb_build_object('platform', m.platform, 'action', m.label)
      when 'outrider_alerts_opened_total' then jsonb_build_object('severity', m.label)
      else jsonb_build_object()
    end as labels
  ) l
  group by m.metric, m.workspace, l.labels;
end;
$$;
