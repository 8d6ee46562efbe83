create or replace function outrider.alerting_workspaces()
  returns table (workspace_id text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  return query
  select t.workspace_id from outrider.alert_targets t where t.enabled
  union
  select a.workspace_id from outrider.alerts a where a.resolved_at is null
  order by 1;
end;
$$;

comment on function outrider.alerting_workspaces is $doc$The workspaces whose alerts are to be evaluated: those that have an enabled alert target, or an open alert.$doc$;

grant execute on function outrider.alerting_workspaces to outrider_service;
