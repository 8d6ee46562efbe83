-- A step of purge_expired: alerts that were resolved, and notifications that have ended, longer ago than
-- events_retention of their workspace; and silences that are over.
--
-- Concurrency: those that are locked are passed over.
create or replace function outrider.purge_alerts(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  volatile
as $$
declare
  v_alerts bigint;
  v_notifications bigint;
  v_silences bigint;
begin
  if p_dry_run then
    select count(*) into v_alerts from outrider.alerts a
    join outrider.workspace_settings s on s.workspace_id = a.workspace_id
    where a.resolved_at < p_now - s.events_retention;
    select count(*) into v_notifications from outrider.alert_notifications n
    join outrider.workspace_settings s on s.workspace_id = n.workspace_id
    where n.ended_at < p_now - s.events_retention;
    select count(*) into v_silences from outrider.alert_silences s where s.until < p_now;
  else
    delete from outrider.alerts a
    using (
      select x.workspace_id, x.alert_id from outrider.alerts x
      join outrider.workspace_settings s on s.workspace_id = x.workspace_id
      where x.resolved_at < p_now - s.events_retention
      limit p_limit
      for update of x skip locked
    ) old
    where a.workspace_id = old.workspace_id and a.alert_id = old.alert_id;
    get diagnostics v_alerts = row_count;
    delete from outrider.alert_notifications n
    using (
      select x.workspace_id, x.notification_id from outrider.alert_notifications x
      join outrider.workspace_settings s on s.workspace_id = x.workspace_id
      where x.ended_at < p_now - s.events_retention
      limit p_limit
      for update of x skip locked
    ) old
    where n.workspace_id = old.workspace_id and n.notification_id = old.notification_id;
    get diagnostics v_notifications = row_count;
    delete from outrider.alert_silences s
    using (
      select x.workspace_id, x.matches from outrider.alert_silences x
      where x.until < p_now
      limit p_limit
      for update skip locked
    ) old
    where s.workspace_id = old.workspace_id and s.matches = old.matches;
    get diagnostics v_silences = row_count;
  end if;
  return query
  select p.what, null::text, p.removed, not p_dry_run and p.removed >= p_limit, null::text
  from (values
    ('alerts', v_alerts), ('alert_notifications', v_notifications), ('alert_silences', v_silences)
  ) as p (what, removed)
  where p.removed > 0;
end;
$$;
