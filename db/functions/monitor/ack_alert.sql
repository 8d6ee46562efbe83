create or replace function outrider.ack_alert(
  p_workspace_id text,
  p_alert_id uuid,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns table (alert_id uuid, changed boolean, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_alert outrider.alerts;
  v_fault text;
begin
  perform outrider.require_workspace('ack_alert', p_workspace_id);
  perform outrider.require_flag('ack_alert', 'dry_run', p_dry_run);
  perform outrider.require_operator('ack_alert', p_operator, p_reason);
  perform outrider.require_time('ack_alert', p_now);
  v_alert := outrider.alert_named('ack_alert', p_workspace_id, p_alert_id);

  v_fault := case
    when v_alert.resolved_at is not null then 'it is resolved'
    when v_alert.acknowledged_at is not null then format('%s has acknowledged it already', v_alert.acknowledged_by)
  end;
  if v_fault is null and not p_dry_run then
    update outrider.alerts a
    set acknowledged_at = p_now, acknowledged_by = outrider.mask_text(p_operator), acknowledged_because = outrider.mask_text(p_reason)
    where a.workspace_id = p_workspace_id and a.alert_id = p_alert_id;
    perform outrider.write_channel_event(p_workspace_id, null, 'alert_acknowledged', jsonb_build_object(
      'operator', p_operator, 'reason', p_reason, 'alert_id', p_alert_id, 'fingerprint', v_alert.fingerprint), p_now);
  end if;
  return query select v_alert.alert_id, v_fault is null, v_fault;
end;
$$;

comment on function outrider.ack_alert is $doc$Acknowledges an alert: somebody knows of it, and it is not repeated. It is told when it is resolved. Dead letters that
come after the acknowledgement are told all the same.

p_dry_run: only says what it would do.
Returns: one row; `note` says why an alert was left as it is.
Raises: OR001, OR002 (also for an unknown alert), OR003.$doc$;

grant execute on function outrider.ack_alert to outrider_worker;
