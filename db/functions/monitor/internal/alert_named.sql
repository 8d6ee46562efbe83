-- The alert of an id.
--
-- Raises: OR001 when no id is given, OR002 when the workspace has no such alert.
create or replace function outrider.alert_named(p_function text, p_workspace_id text, p_alert_id uuid)
  returns outrider.alerts
  language plpgsql
  stable
as $$
declare
  v_alert outrider.alerts;
begin
  if p_alert_id is null then
    raise exception using errcode = 'OR001', message = format('%s: alert_id is missing', p_function);
  end if;
  select a.* into v_alert from outrider.alerts a where a.workspace_id = p_workspace_id and a.alert_id = p_alert_id;
  if not found then
    raise exception using errcode = 'OR002',
      message = format('%s: workspace "%s" has no alert %s', p_function, p_workspace_id, p_alert_id);
  end if;
  return v_alert;
end;
$$;
