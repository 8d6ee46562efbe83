-- How many alerts of a workspace are open, how many of these are critical, and how many of its alert targets messages do
-- not reach; and whether the monitor evaluates its alerts: {open, critical, undelivered, evaluated}.
create or replace function outrider.alert_counts(p_workspace_id text, p_now timestamptz)
  returns json
  language plpgsql
  stable
as $$
begin
  return (
    select json_build_object(
      'open', count(*), 'critical', count(*) filter (where a.severity = 'critical'),
      'undelivered', (select count(*) from outrider.undelivered_targets(p_workspace_id, p_now)),
      'evaluated', not exists (
        select from outrider.service_heartbeats h
        where h.seen_at >= p_now - interval '30 seconds' and h.facts -> 'alerts_not_evaluated' ? p_workspace_id))
    from outrider.alerts a
    where a.workspace_id = p_workspace_id and a.resolved_at is null
  );
end;
$$;
