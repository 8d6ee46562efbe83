create or replace function outrider.list_alerts(
  p_workspace_id text,
  p_state text,
  p_limit integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    alert_id uuid,
    kind text,
    fingerprint text,
    severity text,
    state text,
    summary text,
    opened_at timestamptz,
    resolved_at timestamptz,
    notified_at timestamptz,
    acknowledged_by text,
    silenced_until timestamptz
  )
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('list_alerts', p_workspace_id);
  if p_state is not null and p_state not in ('open', 'resolved') then
    raise exception using errcode = 'OR001', message = 'list_alerts: state must be open, resolved or nothing for both';
  end if;
  perform outrider.require_count('list_alerts', p_limit, 1000);
  perform outrider.require_time('list_alerts', p_now);

  return query
  select a.alert_id, a.kind, a.fingerprint, a.severity::text,
    case when a.resolved_at is not null then 'resolved' when s.until is not null then 'silenced'
      when a.acknowledged_at is not null then 'acknowledged' else 'open' end,
    a.summary, a.opened_at, a.resolved_at, a.notified_at, a.acknowledged_by, s.until
  from (
    (
      select x.* from outrider.alerts x
      where x.workspace_id = p_workspace_id and x.resolved_at is null and p_state is distinct from 'resolved'
      limit p_limit
    )
    union all
    (
      select x.* from outrider.alerts x
      where x.workspace_id = p_workspace_id and x.resolved_at is not null and p_state is distinct from 'open'
      order by x.resolved_at desc
      limit p_limit
    )
  ) a
  left join lateral (
    select max(x.until) as until from outrider.alert_silences x
    where x.workspace_id = p_workspace_id and x.matches in (a.kind, a.fingerprint) and x.until > p_now
  ) s on true
  order by a.resolved_at desc nulls first, a.severity desc, a.opened_at desc, a.alert_id
  limit p_limit;
end;
$$;

comment on function outrider.list_alerts is $doc$The alerts of a workspace: open ones first, the worst first; then resolved ones, the latest first.

p_state: open, resolved, or null for both.
Returns: state is open, acknowledged, silenced or resolved.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_alerts to outrider_reader;
