create or replace function outrider.list_alert_targets(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    alert_target_id text,
    enabled boolean,
    min_severity text,
    address json,
    reached_at timestamptz,
    undelivered_since timestamptz,
    last_error text
  )
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('list_alert_targets', p_workspace_id);
  perform outrider.require_time('list_alert_targets', p_now);

  return query
  select t.alert_target_id, t.enabled, t.min_severity::text, outrider.alert_address(t), t.reached_at, u.since, coalesce(u.last_error, tried.last_error)
  from outrider.alert_targets t
  left join outrider.undelivered_targets(p_workspace_id, p_now) u on u.alert_target_id = t.alert_target_id
  left join lateral (
    select n.last_error from outrider.alert_notifications n
    where n.workspace_id = t.workspace_id and n.alert_target_id = t.alert_target_id and n.status <> 'sent'
      and t.enabled and n.status = 'queued' and n.last_error is not null
    order by n.created_at desc
    limit 1
  ) tried on true
  where t.workspace_id = p_workspace_id
  order by t.alert_target_id;
end;
$$;

comment on function outrider.list_alert_targets is $doc$The alert targets of a workspace: where each is, when a message last reached it, and since when none does.
`last_error` is also that of a message which is being tried again and has not waited for ten minutes yet.

Returns: address is {kind, target_id, auth_ref, secret_ref, platform, rate_group, url, recipients}.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_alert_targets to outrider_reader;
