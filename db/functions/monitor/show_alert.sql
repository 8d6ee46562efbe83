create or replace function outrider.show_alert(
  p_workspace_id text,
  p_alert_id uuid,
  p_now timestamptz default clock_timestamp()
)
  returns json
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_alert outrider.alerts;
begin
  perform outrider.require_workspace('show_alert', p_workspace_id);
  perform outrider.require_time('show_alert', p_now);
  v_alert := outrider.alert_named('show_alert', p_workspace_id, p_alert_id);

  return json_build_object(
    'alert_id', v_alert.alert_id, 'kind', v_alert.kind, 'fingerprint', v_alert.fingerprint, 'severity', v_alert.severity,
    'summary', v_alert.summary, 'detail', v_alert.detail, 'runbook', 'docs/runbook.md#' || v_alert.kind,
    'now', p_now, 'opened_at', v_alert.opened_at, 'seen_at', v_alert.seen_at, 'resolved_at', v_alert.resolved_at,
    'told', v_alert.told, 'notified_at', v_alert.notified_at, 'acknowledged_at', v_alert.acknowledged_at,
    'acknowledged_by', v_alert.acknowledged_by, 'acknowledged_because', v_alert.acknowledged_because,
    'silence', (
      select json_build_object('matches', s.matches, 'until', s.until, 'operator', s.operator, 'reason', s.reason)
      from outrider.alert_silences s
      where s.workspace_id = p_workspace_id and s.matches in (v_alert.kind, v_alert.fingerprint) and s.until > p_now
      order by s.until desc
      limit 1
    ),
    'notifications', (
      select coalesce(json_agg(json_build_object(
        'alert_target_id', n.alert_target_id, 'status', n.status, 'attempts', n.attempts, 'created_at', n.created_at,
        'ended_at', n.ended_at, 'next_try_at', case when n.status = 'queued' then n.next_try_at end, 'last_error', n.last_error
      ) order by n.created_at desc, n.alert_target_id), '[]')
      from (
        select x.* from outrider.alert_notifications x
        where x.workspace_id = p_workspace_id
          and x.changes @> jsonb_build_array(jsonb_build_object('alert_id', v_alert.alert_id))
        order by x.created_at desc
        limit 50
      ) n
    )
  );
end;
$$;

comment on function outrider.show_alert is $doc$One alert, with what is known about it, and the messages that told of it.

Returns: {alert_id, kind, fingerprint, severity, summary, detail, runbook, now, opened_at, seen_at, resolved_at, told,
notified_at, acknowledged_at, acknowledged_by, acknowledged_because, silence {matches, until, operator, reason},
notifications [{alert_target_id, status, attempts, created_at, ended_at, next_try_at, last_error}]}.
Raises: OR001, OR002 (also for an unknown alert), OR003.$doc$;

grant execute on function outrider.show_alert to outrider_reader;
