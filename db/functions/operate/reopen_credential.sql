create or replace function outrider.reopen_credential(
  p_workspace_id text,
  p_auth_ref text,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns table (platform text, rate_group text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_group outrider.platform_limits;
begin
  perform outrider.require_workspace('reopen_credential', p_workspace_id);
  perform outrider.require_text('reopen_credential', 'auth_ref', p_auth_ref, 128);
  perform outrider.require_operator('reopen_credential', p_operator, p_reason);
  perform outrider.require_time('reopen_credential', p_now);

  for v_group in
    select g.* from outrider.platform_limits g
    where g.workspace_id = p_workspace_id and g.closed_auth_ref = p_auth_ref
    order by g.platform, g.rate_group
    for no key update
  loop
    perform outrider.open_group(v_group, jsonb_build_object('operator', p_operator, 'reason', p_reason), p_now);
    return query select v_group.platform, v_group.rate_group;
  end loop;

  if not found and not exists (
    select from outrider.credential_bindings b where b.workspace_id = p_workspace_id and b.auth_ref = p_auth_ref
  ) then
    raise exception using errcode = 'OR002',
      message = format('reopen_credential: workspace "%s" has no credential "%s"', p_workspace_id, p_auth_ref);
  end if;
end;
$$;

comment on function outrider.reopen_credential is $doc$Opens the rate groups that were closed because a platform refused this credential. An operator calls it after the token
was replaced. What waits in the groups is due at once; a token that is still refused closes them again.

Concurrency: groups are locked in order.
Returns: the groups opened; none when none was closed for it.
Raises: OR001, OR002 (also for an unknown credential), OR003.$doc$;

grant execute on function outrider.reopen_credential to outrider_worker;
