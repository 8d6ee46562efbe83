create or replace function outrider.undelivered_alerts(p_now timestamptz default clock_timestamp())
  returns table (workspace_id text, alert_target_id text, since timestamptz, last_error text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_time('undelivered_alerts', p_now);

  return query
  select w.workspace_id, u.alert_target_id, u.since, u.last_error
  from (
    select distinct n.workspace_id from outrider.alert_notifications n where n.status <> 'sent'
  ) w
  cross join lateral outrider.undelivered_targets(w.workspace_id, p_now) u
  order by 1, 2;
end;
$$;

comment on function outrider.undelivered_alerts is $doc$The alert targets of all workspaces that messages do not reach: one has waited for ten minutes, or was given up
within the last day and none got through since.

Raises: OR001.$doc$;

grant execute on function outrider.undelivered_alerts to outrider_service;
