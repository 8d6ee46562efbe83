-- Opens the rate groups of a credential again, at an operator's word: the token has been replaced.
--
-- Returns: the groups opened.
-- Raises: OR001, OR002, OR003.
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
begin
  perform outrider.require_workspace('reopen_credential', p_workspace_id);
  perform outrider.require_text('reopen_credential', 'auth_ref', p_auth_ref, 128);
  perform outrider.require_operator('reopen_credential', p_operator, p_reason);
  perform outrider.require_time('reopen_credential', p_now);

  return query
  update outrider.platform_limits g
  set cooldown_until = null, updated_at = p_now
  where g.workspace_id = p_workspace_id and exists (
    select from outrider.channels c
    left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
    where c.workspace_id = p_workspace_id and c.platform = g.platform and c.rate_group = g.rate_group
      and coalesce(r.auth_ref, c.auth_ref) = p_auth_ref)
  returning g.platform, g.rate_group;
end;
$$;

grant execute on function outrider.reopen_credential to outrider_worker;
