-- Checks that the caller may act for a workspace. Every function that a tenant's login may call begins with this check.
--
-- A tenant cannot tell another tenant's workspace from one that does not exist.
-- Raises: OR001 when the call names no workspace, OR002 when the workspace does not exist, OR003 when the login is not
-- bound to it.
create or replace function outrider.require_workspace(p_function text, p_workspace_id text)
  returns void
  language plpgsql
  stable
as $$
declare
  v_login constant name := outrider.acting_login();
begin
  if p_workspace_id is null then
    raise exception using errcode = 'OR001', message = format('%s: workspace_id is missing', p_function);
  end if;

  if pg_has_role(v_login, 'outrider_service', 'member') then
    if not exists (select from outrider.workspaces w where w.workspace_id = p_workspace_id) then
      raise exception using errcode = 'OR002',
        message = format('%s: there is no workspace "%s"', p_function, left(p_workspace_id, 64)),
        hint = 'Create it first, or check the spelling.';
    end if;
    return;
  end if;

  if not exists (
    select from outrider.workspace_logins l
    where l.login = v_login and l.workspace_id = p_workspace_id
  ) then
    raise exception using errcode = 'OR003',
      message = format('%s: login "%s" may not act for workspace "%s"', p_function, v_login, left(p_workspace_id, 64)),
      hint = 'Bind the login to the workspace in outrider.workspace_logins.';
  end if;
end;
$$;
