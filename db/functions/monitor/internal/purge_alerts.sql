-- A step of purge_expired: alerts that were resolved, and messages about alerts that have ended, longer ago than
-- events_retention of their workspace; and silences that are over.
create or replace function outrider.purge_alerts(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  volatile
as $$
declare
  v_limit constant integer := case when not p_dry_run then p_limit end;
  v_alerts uuid[];
  v_notifications uuid[];
begin
  v_alerts := array(
    select a.alert_id from outrider.alerts a
    join outrider.workspace_settings s on s.workspace_id = a.workspace_id
    where a.resolved_at < p_now - s.events_retention
    limit v_limit);
  v_notifications := array(
    select n.notification_id from outrider.alert_notifications n
    join outrider.workspace_settings s on s.workspace_id = n.workspace_id
    where n.ended_at < p_now - s.events_retention
    limit v_limit);
  if not p_dry_run then
    delete from outrider.alerts a where a.alert_id = any (v_alerts);
    delete from outrider.alert_notifications n where n.notification_id = any (v_notifications);
    delete from outrider.alert_silences s where s.until < p_now;
  end if;
  return query
  select p.what, null::text, p.removed, not p_dry_run and p.removed >= p_limit, null::text
  from (values
    ('alerts', cardinality(v_alerts)::bigint), ('alert_notifications', cardinality(v_notifications)::bigint)
  ) as p (what, removed)
  where p.removed > 0;
end;
$$;
