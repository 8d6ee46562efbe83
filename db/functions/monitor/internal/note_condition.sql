-- Records that a condition holds: opens its alert, or brings the open one up to date.
--
-- Returns: the alert, and `change`: opened or repeated when people are to be told, else null. An alert that opens while it
-- is silenced has the change opened, too. An alert that comes back has no acknowledgement: that was of the time before.
create or replace function outrider.note_condition(
  p_settings outrider.workspace_settings,
  p_condition outrider.alert_condition,
  p_silenced boolean,
  p_now timestamptz,
  out alert_id uuid,
  out change text
)
  language plpgsql
  volatile
as $$
declare
  v_fingerprint constant text := concat_ws(':', p_condition.kind, p_condition.subject);
  v_alert outrider.alerts;
begin
  select a.* into v_alert from outrider.alerts a
  where a.workspace_id = p_settings.workspace_id and a.fingerprint = v_fingerprint and a.resolved_at is null
  for update;
  if not found then
    select a.* into v_alert from outrider.alerts a
    where a.workspace_id = p_settings.workspace_id and a.fingerprint = v_fingerprint
      and a.resolved_at > p_now - interval '5 minutes'
    order by a.resolved_at desc
    limit 1
    for update;
    if found and outrider.withdraw_resolution(v_alert) then
      v_alert.told := 'opened';
    end if;
    v_alert.acknowledged_at := null;
    v_alert.acknowledged_by := null;
    v_alert.acknowledged_because := null;
  end if;

  if v_alert.alert_id is null then
    change := 'opened';
    alert_id := gen_random_uuid();
    insert into outrider.alerts
      (workspace_id, alert_id, kind, fingerprint, subject, severity, summary, detail, opened_at, seen_at, told, notified_at)
    values (
      p_settings.workspace_id, note_condition.alert_id, p_condition.kind, v_fingerprint, p_condition.subject, p_condition.severity,
      p_condition.summary, p_condition.detail, p_now, p_now,
      case when not p_silenced then 'opened' end, case when not p_silenced then p_now end);
    return;
  end if;

  alert_id := v_alert.alert_id;
  change := case
    when p_silenced then null
    when p_condition.severity > v_alert.severity then 'opened'
    when v_alert.notified_at + p_settings.alert_cooldown > p_now and v_alert.notified_at <= p_now + interval '1 minute' then null
    when v_alert.acknowledged_at >= coalesce(p_condition.news_at, '-infinity') then null
    else 'repeated'
  end;
  update outrider.alerts a
  set resolved_at = null, seen_at = p_now, summary = p_condition.summary, detail = p_condition.detail,
      severity = greatest(v_alert.severity, p_condition.severity), acknowledged_at = v_alert.acknowledged_at,
      acknowledged_by = v_alert.acknowledged_by, acknowledged_because = v_alert.acknowledged_because,
      told = coalesce(change, v_alert.told), notified_at = case when change is null then v_alert.notified_at else p_now end
  where a.workspace_id = v_alert.workspace_id and a.alert_id = v_alert.alert_id;
end;
$$;
