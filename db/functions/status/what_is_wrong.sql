create or replace function outrider.what_is_wrong(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    kind text,
    subject text,
    severity text,
    summary text,
    advice text,
    since timestamptz,
    acknowledged_by text,
    silenced_until timestamptz
  )
  language plpgsql
  stable
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
begin
  perform outrider.require_workspace('what_is_wrong', p_workspace_id);
  perform outrider.require_time('what_is_wrong', p_now);
  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;

  return query
  select c.kind, c.subject, c.severity::text, c.summary, outrider.advice_on(p_workspace_id, c), a.opened_at, a.acknowledged_by, s.until
  from (
    select x.* from outrider.alert_conditions(v_settings, p_now) x
    union all
    select y.kind, y.subject, y.severity, outrider.mask_text(left(y.summary, 600)), y.detail, y.news_at
    from outrider.unalerted_conditions(v_settings, p_now) y
  ) c
  left join outrider.alerts a
    on a.workspace_id = p_workspace_id and a.fingerprint = concat_ws(':', c.kind, c.subject) and a.resolved_at is null
  left join lateral (
    select max(x.until) as until from outrider.alert_silences x
    where x.workspace_id = p_workspace_id and x.matches in (c.kind, concat_ws(':', c.kind, c.subject)) and x.until > p_now
  ) s on true
  order by a.acknowledged_by is not null or s.until is not null, c.severity desc, c.kind, c.subject;
end;
$$;

comment on function outrider.what_is_wrong is $doc$Everything that is wrong in a workspace now and wants a person: what would open an alert, whether or not a monitor runs, and
what is not bad enough for one: a workspace that is not active, a channel that a refusal has paused, a source that cannot be
read, deliveries that are due while no process sends.

Returns: one row for each, those that nobody has acknowledged or silenced first, the worst first. `summary` is a sentence without
its capital letter and full stop; `advice` is the command to look or to mend with, null where a command does not help. `since` is
when its alert opened; null when it has none. Texts are masked.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.what_is_wrong to outrider_reader;
