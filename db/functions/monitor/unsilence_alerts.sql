create or replace function outrider.unsilence_alerts(
  p_workspace_id text,
  p_matches text,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('unsilence_alerts', p_workspace_id);
  perform outrider.require_alert_name('unsilence_alerts', p_matches);
  perform outrider.require_flag('unsilence_alerts', 'dry_run', p_dry_run);
  perform outrider.require_operator('unsilence_alerts', p_operator, p_reason);
  perform outrider.require_time('unsilence_alerts', p_now);

  if p_dry_run then
    return exists (
      select from outrider.alert_silences s
      where s.workspace_id = p_workspace_id and s.matches = p_matches and s.until > p_now);
  end if;
  delete from outrider.alert_silences s
  where s.workspace_id = p_workspace_id and s.matches = p_matches and s.until > p_now;
  if not found then
    return false;
  end if;
  perform outrider.write_channel_event(p_workspace_id, null, 'alerts_unsilenced', jsonb_build_object(
    'operator', p_operator, 'reason', p_reason, 'matches', p_matches), p_now);
  return true;
end;
$$;

comment on function outrider.unsilence_alerts is $doc$Ends a silence before its time. Alerts that are open and were not told are told with the next evaluation.

p_dry_run: only says what it would do.
Returns: whether there was such a silence.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.unsilence_alerts to outrider_worker;
