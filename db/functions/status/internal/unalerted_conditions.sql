-- What is wrong in a workspace and opens no alert: see what_is_wrong. A channel that somebody paused is no surprise, and is not listed.
create or replace function outrider.unalerted_conditions(p_settings outrider.workspace_settings, p_now timestamptz)
  returns setof outrider.alert_condition
  language plpgsql
  stable
as $$
declare
  v_workspace outrider.workspaces;
  v_paused integer;
  v_due record;
begin
  select w.* into v_workspace from outrider.workspaces w where w.workspace_id = p_settings.workspace_id;
  if v_workspace.status <> 'active' then
    return next row(
      'workspace_' || v_workspace.status, null, 'warning',
      format('the workspace is %s and sends nothing: set its status to active in the file that you apply', v_workspace.status),
      '{}', null)::outrider.alert_condition;
  end if;

  select count(*)::integer into v_paused from outrider.channels c
  where c.workspace_id = p_settings.workspace_id and c.enabled and c.paused_until > p_now;
  if v_paused <= p_settings.alert_paused_channels_over then
    return query
    select (row(
      'channel_paused', c.channel_id, 'warning',
      format('channel %s is paused%s%s', outrider.excerpt(c.channel_id),
        case when isfinite(c.paused_until) then ' for ' || outrider.span_in_words(c.paused_until - p_now) || ' more' else '' end,
        coalesce(': ' || outrider.stop_in_words(c.stopped_because), '')),
      jsonb_build_object('channel_id', c.channel_id), null)::outrider.alert_condition).*
    from outrider.channels c
    where c.workspace_id = p_settings.workspace_id and c.enabled and c.paused_until > p_now
      and not coalesce(c.stopped_because ? 'operator', false)
    order by c.platform, c.target_id
    limit 100;
  end if;

  return query
  select (row(
    'source_failing', s.source_id, 'warning',
    format('source %s could not be read %s: %s', outrider.excerpt(s.source_id),
      case c.failures when 1 then 'the last time' else c.failures || ' times in a row' end, left(c.last_error, 200)),
    jsonb_build_object('source_id', s.source_id), null)::outrider.alert_condition).*
  from outrider.pull_sources s
  join outrider.pull_cursors c on c.workspace_id = s.workspace_id and c.source_id = s.source_id
  where s.workspace_id = p_settings.workspace_id and s.enabled and c.failures > 0
    and (p_settings.alert_pull_lag_over is null or c.failing_since >= p_now - p_settings.alert_pull_lag_over)
  order by s.source_id
  limit 100;

  select count(*)::integer as channels, min(d.due_since) as since into v_due
  from outrider.due_channels(p_settings.workspace_id, p_now) d;
  if v_workspace.status = 'active' and v_due.since < p_now - interval '1 minute'
    and not exists (select from outrider.leases l where l.workspace_id = p_settings.workspace_id and l.open_count > 0)
    and not exists (
      select from outrider.service_heartbeats h where 'dispatch' = any (h.roles) and h.seen_at >= p_now - interval '30 seconds')
  then
    return next row(
      'nobody_sends', null, 'critical',
      format('deliveries have been due in %s for %s, and no process sends: start one that runs dispatch',
        case v_due.channels when 1 then '1 channel' else v_due.channels || ' channels' end,
        outrider.span_in_words(p_now - v_due.since)),
      jsonb_build_object('channels', v_due.channels, 'since', v_due.since), null)::outrider.alert_condition;
  end if;
end;
$$;
