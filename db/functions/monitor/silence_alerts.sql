create or replace function outrider.silence_alerts(
  p_workspace_id text,
  p_matches text,
  p_until timestamptz,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns table (matches text, until timestamptz, open_alerts integer)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('silence_alerts', p_workspace_id);
  perform outrider.require_alert_name('silence_alerts', p_matches);
  perform outrider.require_time('silence_alerts', p_now);
  if p_until is null or not isfinite(p_until) or p_until <= p_now then
    raise exception using errcode = 'OR001', message = 'silence_alerts: until must be a time that lies ahead';
  end if;
  if p_until > p_now + interval '1 year' then
    raise exception using errcode = 'OR001', message = 'silence_alerts: until lies more than a year ahead';
  end if;
  perform outrider.require_flag('silence_alerts', 'dry_run', p_dry_run);
  perform outrider.require_operator('silence_alerts', p_operator, p_reason);

  if not p_dry_run then
    insert into outrider.alert_silences as s (workspace_id, matches, until, operator, reason, created_at)
    values (p_workspace_id, p_matches, p_until, outrider.mask_text(p_operator), outrider.mask_text(p_reason), p_now)
    on conflict (workspace_id, matches) do update
    set until = excluded.until, operator = excluded.operator, reason = excluded.reason, created_at = excluded.created_at;
    perform outrider.write_channel_event(p_workspace_id, null, 'alerts_silenced', jsonb_build_object(
      'operator', p_operator, 'reason', p_reason, 'matches', p_matches, 'until', p_until), p_now);
  end if;
  return query
  select p_matches, p_until, count(*)::integer from outrider.alerts a
  where a.workspace_id = p_workspace_id and a.resolved_at is null and p_matches in (a.kind, a.fingerprint);
end;
$$;

comment on function outrider.silence_alerts is $doc$Silences alerts until a time: nobody is told of them. They open and resolve all the same, and the list shows them.

p_matches: a kind of alert, such as paused_channels, or the fingerprint of one alert, such as channel_disabled:tg-news. A new
silence with the same value replaces the old one.
p_until: a year ahead at most.
p_dry_run: only says what it would do.
Returns: one row, with the number of open alerts that it silences.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.silence_alerts to outrider_worker;
