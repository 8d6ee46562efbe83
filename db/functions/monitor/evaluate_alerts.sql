create or replace function outrider.evaluate_alerts(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    alert_id uuid,
    kind text,
    fingerprint text,
    severity outrider.alert_severity,
    change text,
    silenced boolean,
    summary text
  )
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_settings outrider.workspace_settings;
  v_silences text[];
  v_condition outrider.alert_condition;
  v_fingerprint text;
  v_silenced boolean;
  v_noted record;
  v_alert outrider.alerts;
  v_held text[] := array[]::text[];
  v_told jsonb := jsonb_build_array();
begin
  perform outrider.require_workspace('evaluate_alerts', p_workspace_id);
  perform outrider.require_time('evaluate_alerts', p_now);

  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id for no key update;
  perform from outrider.alert_targets t where t.workspace_id = p_workspace_id order by t.alert_target_id for no key update;
  v_silences := array(
    select s.matches from outrider.alert_silences s where s.workspace_id = p_workspace_id and s.until > p_now);

  for v_condition in select c.* from outrider.alert_conditions(v_settings, p_now) c loop
    v_fingerprint := concat_ws(':', v_condition.kind, v_condition.subject);
    v_silenced := v_condition.kind = any (v_silences) or v_fingerprint = any (v_silences);
    v_held := v_held || v_fingerprint;
    select n.* into v_noted from outrider.note_condition(v_settings, v_condition, v_silenced, p_now) n;
    if v_noted.change is not null then
      select a.* into v_alert from outrider.alerts a
      where a.workspace_id = p_workspace_id and a.alert_id = v_noted.alert_id;
      v_told := v_told || outrider.alert_change(v_alert, v_noted.change, v_silenced);
      return query select v_alert.alert_id, v_alert.kind, v_alert.fingerprint, v_alert.severity, v_noted.change, v_silenced, v_alert.summary;
    end if;
  end loop;

  for v_alert in
    select a.* from outrider.alerts a
    where a.workspace_id = p_workspace_id and a.resolved_at is null and a.fingerprint <> all (v_held)
    order by a.fingerprint
    for update
  loop
    v_silenced := v_alert.kind = any (v_silences) or v_alert.fingerprint = any (v_silences);
    if v_alert.told in ('opened', 'repeated') then
      v_told := v_told || outrider.alert_change(v_alert, 'resolved', v_silenced);
    end if;
    update outrider.alerts a
    set resolved_at = greatest(p_now, a.opened_at), -- a clock may be set back
        told = case when a.told is not null and not v_silenced then 'resolved' else a.told end
    where a.workspace_id = p_workspace_id and a.alert_id = v_alert.alert_id;
    return query select v_alert.alert_id, v_alert.kind, v_alert.fingerprint, v_alert.severity, 'resolved', v_silenced, v_alert.summary;
  end loop;

  perform outrider.queue_notifications(p_workspace_id, v_told, p_now);
  perform outrider.queue_snapshots(v_settings, p_now);
  perform outrider.give_up_notifications(p_workspace_id, p_now);
end;
$$;

comment on function outrider.evaluate_alerts is $doc$Compares what is wrong in a workspace with the alerts that are open, and queues messages about the difference for its
alert targets.

An alert opens when its condition begins to hold. While the condition lasts, the alert is repeated after alert_cooldown,
and not before; an acknowledged one is not repeated, unless it has become worse since. When the condition is over, the
alert is resolved. One that comes back within five minutes is the same alert, and is told again only after its cooldown.
An alert whose severity rises counts as opened. A silenced alert opens and resolves, and nobody is told.
Concurrency: evaluations of one workspace run one after the other. It locks the workspace's settings, its alert targets,
its alerts, then its notifications; nothing that a sender needs.
Returns: a row for each alert that was opened, repeated or resolved (change).
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.evaluate_alerts to outrider_service;
