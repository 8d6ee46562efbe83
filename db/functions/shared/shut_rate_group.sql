-- Closes a rate group whose credential was refused: nothing is sent in it until somebody has replaced the token
-- (reopen_credential, or an apply that rotates the credential).
--
-- p_began_at: when the call began that was refused. One that began before the group was last opened, or before the
-- credential was last written or rotated (p_rotated_at), used the old token and closes nothing.
-- Concurrency: the group is locked by the caller.
-- Returns: whether it closed the group; a group that is closed already is not closed again.
create or replace function outrider.shut_rate_group(
  p_workspace_id text,
  p_platform text,
  p_rate_group text,
  p_auth_ref text,
  p_rotated_at timestamptz,
  p_began_at timestamptz,
  p_error jsonb,
  p_now timestamptz
)
  returns boolean
  language plpgsql
  volatile
as $$
begin
  update outrider.platform_limits g
  set closed_at = p_now, closed_auth_ref = p_auth_ref, last_error = p_error, updated_at = p_now
  where g.workspace_id = p_workspace_id and g.platform = p_platform and g.rate_group = p_rate_group
    and g.closed_at is null
    and p_began_at >= greatest(g.opened_at, p_rotated_at, (
      select b.updated_at from outrider.credential_bindings b
      where b.workspace_id = p_workspace_id and b.auth_ref = p_auth_ref
    ), '-infinity');
  return found;
end;
$$;
