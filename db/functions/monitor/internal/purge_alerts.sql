-- Removes alerts that were resolved, and messages about alerts that have ended, longer ago than events_retention of their
-- workspace; and silences that are over.
--
-- p_dry_run: only counts.
-- Returns: how many rows were removed, or would be.
create or replace function outrider.purge_alerts(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns bigint
  language plpgsql
  volatile
as $$
declare
  v_alerts uuid[];
  v_notifications uuid[];
begin
  v_alerts := array(
    select a.alert_id from outrider.alerts a
    join outrider.workspace_settings s on s.workspace_id = a.workspace_id
    where a.resolved_at < p_now - s.events_retention
    limit p_limit);
  v_notifications := array(
    select n.notification_id from outrider.alert_notifications n
    join outrider.workspace_settings s on s.workspace_id = n.workspace_id
    where n.ended_at < p_now - s.events_retention
    limit p_limit);
  if not p_dry_run then
    delete from outrider.alerts a where a.alert_id = any (v_alerts);
    delete from outrider.alert_notifications n where n.notification_id = any (v_notifications);
    delete from outrider.alert_silences s where s.until < p_now;
  end if;
  return (cardinality(v_alerts) + cardinality(v_notifications))::bigint;
end;
$$;
