-- Checks that a workspace takes posts in, and the call's time. A paused workspace does, and queues them.
--
-- Raises: OR001, OR002, OR003.
create or replace function outrider.require_intake(p_function text, p_workspace_id text, p_now timestamptz)
  returns void
  language plpgsql
  stable
as $$
begin
  perform outrider.require_workspace(p_function, p_workspace_id);
  perform outrider.require_time(p_function, p_now);
  if exists (select from outrider.workspaces w where w.workspace_id = p_workspace_id and w.status = 'disabled') then
    raise exception using errcode = 'OR003',
      message = format('%s: workspace "%s" is disabled and takes nothing in', p_function, p_workspace_id);
  end if;
end;
$$;
