-- A change of an alert as messages keep it, in a list of its own; an empty list when the alert is silenced.
create or replace function outrider.alert_change(p_alert outrider.alerts, p_change text, p_silenced boolean)
  returns jsonb
  language sql
  immutable
as $$
  select case when p_silenced then '[]' else jsonb_build_array(jsonb_build_object(
    'alert_id', p_alert.alert_id, 'kind', p_alert.kind, 'subject', p_alert.subject, 'severity', p_alert.severity,
    'change', p_change, 'summary', p_alert.summary)) end;
$$;
