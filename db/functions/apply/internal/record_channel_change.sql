-- Does what a change of a channel requires beyond its own row. It writes an event for each change that has one. A
-- channel that is enabled starts without a pause and with an error streak of 0. A new auth_ref also replaces the one in
-- channel_auth, if the channel has a row there.
create or replace function outrider.record_channel_change(
  p_workspace_id text,
  p_channel_id text,
  p_fields jsonb,
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
as $$
begin
  if p_fields ? 'enabled' then
    update outrider.channels c
    set paused_until = case when not c.enabled then c.paused_until end,
        error_streak = case when c.enabled then 0 else c.error_streak end,
        stopped_because = case when not c.enabled then outrider.applied_by() end
    where c.workspace_id = p_workspace_id and c.channel_id = p_channel_id;
    perform outrider.write_channel_event(p_workspace_id, p_channel_id,
      case when p_fields #> '{enabled,to}' = 'true' then 'channel_enabled' else 'channel_disabled' end::outrider.event_action,
      '{}', p_now);
  end if;
  if p_fields ? 'target_id' then
    perform outrider.write_channel_event(p_workspace_id, p_channel_id, 'channel_moved',
      jsonb_build_object('from_target', p_fields #> '{target_id,from}', 'to_target', p_fields #> '{target_id,to}'), p_now);
  end if;
  if p_fields ? 'auth_ref' then
    update outrider.channel_auth r
    set auth_ref = p_fields #>> '{auth_ref,to}', rotated_at = p_now, updated_at = p_now
    where r.workspace_id = p_workspace_id and r.channel_id = p_channel_id;
    perform outrider.write_channel_event(p_workspace_id, p_channel_id, 'auth_rotated',
      jsonb_build_object('old_auth_ref', p_fields #> '{auth_ref,from}', 'new_auth_ref', p_fields #> '{auth_ref,to}'), p_now);
  end if;
end;
$$;
