-- Adds the alerts that opened in a span of time to the counters: those that are open, and those that are over already.
create or replace function outrider.count_alerts(p_from timestamptz, p_to timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  insert into outrider.metric_counters as m (workspace_id, metric, label, value)
  select w.workspace_id, 'outrider_alerts_opened_total', a.severity, count(*)
  from outrider.workspaces w
  cross join lateral (
    select x.severity::text from outrider.alerts x
    where x.workspace_id = w.workspace_id and x.resolved_at is null and x.opened_at >= p_from and x.opened_at < p_to
    union all
    select x.severity::text from outrider.alerts x
    where x.workspace_id = w.workspace_id and x.resolved_at >= p_from and x.opened_at >= p_from and x.opened_at < p_to
  ) a
  group by w.workspace_id, a.severity
  on conflict (workspace_id, metric, platform, channel_id, label) do update set value = m.value + excluded.value;
end;
$$;
