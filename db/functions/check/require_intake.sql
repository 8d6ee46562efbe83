-- Checks that a workspace accepts posts, and checks the call's time. A paused workspace accepts posts and queues them.
--
-- Returns: the workspace's settings.
-- Raises: OR001, OR002, OR003.
create or replace function outrider.require_intake(p_function text, p_workspace_id text, p_now timestamptz)
  returns outrider.intake_settings
  language plpgsql
  stable
as $$
declare
  v_found record;
begin
  perform outrider.require_workspace(p_function, p_workspace_id);
  perform outrider.require_time(p_function, p_now);
  select
    row(s.workspace_id, s.max_attempts, s.sending_lease, s.keep_deduped_rows, s.ingress_receipts_retention)::outrider.intake_settings as settings,
    w.status
  into v_found
  from outrider.workspaces w
  join outrider.workspace_settings s on s.workspace_id = w.workspace_id
  where w.workspace_id = p_workspace_id;
  if v_found.status = 'disabled' then
    raise exception using errcode = 'OR003',
      message = format('%s: workspace "%s" is disabled and takes nothing in', p_function, p_workspace_id);
  end if;
  return v_found.settings;
end;
$$;
