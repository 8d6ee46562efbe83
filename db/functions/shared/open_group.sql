-- Opens a rate group that was closed because of its credential. The event records p_meta: who opened it, and why.
--
-- Concurrency: the group is locked by the caller.
create or replace function outrider.open_group(p_group outrider.platform_limits, p_meta jsonb, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  update outrider.platform_limits g
  set closed_at = null, closed_auth_ref = null, opened_at = p_now, updated_at = p_now
  where g.workspace_id = p_group.workspace_id and g.platform = p_group.platform and g.rate_group = p_group.rate_group;
  perform outrider.write_group_event(p_group, 'group_opened',
    jsonb_build_object('auth_ref', p_group.closed_auth_ref, 'closed_at', p_group.closed_at, 'manual', true) || p_meta, p_now);
end;
$$;
