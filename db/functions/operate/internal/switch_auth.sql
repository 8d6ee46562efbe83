-- Gives one channel another credential and, if p_rate_group is given, another rate group. Ends the pause of
-- hold_for_rotation. p_cause goes on record: who, and why.
--
-- channel_auth gets the time of the rotation: a refusal of the old credential that comes in later closes no group
-- (close_group).
-- Concurrency: the channel is locked by the caller.
create or replace function outrider.switch_auth(
  p_channel outrider.channels,
  p_old_auth_ref text,
  p_auth_ref text,
  p_rate_group text,
  p_cause jsonb,
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_is_held constant boolean := coalesce(p_channel.stopped_because ? 'rotating_to', false);
  v_moves constant boolean := p_rate_group <> p_channel.rate_group;
begin
  insert into outrider.channel_auth as r (workspace_id, channel_id, auth_ref, rotated_at, updated_at)
  values (p_channel.workspace_id, p_channel.channel_id, p_auth_ref, p_now, p_now)
  on conflict (workspace_id, channel_id) do update
  set auth_ref = excluded.auth_ref, rotated_at = excluded.rotated_at, updated_at = excluded.updated_at;

  update outrider.channels c
  set auth_ref = p_auth_ref, rate_group = coalesce(p_rate_group, c.rate_group), updated_at = p_now,
      paused_until = case when not v_is_held then c.paused_until end,
      stopped_because = case when not v_is_held then c.stopped_because end
  where c.workspace_id = p_channel.workspace_id and c.channel_id = p_channel.channel_id;

  if v_moves then
    perform outrider.restart_pace(p_channel.workspace_id, array[p_channel.channel_id], p_now);
  end if;
  perform outrider.write_channel_event(p_channel.workspace_id, p_channel.channel_id, 'auth_rotated',
    jsonb_strip_nulls(p_cause || jsonb_build_object(
      'old_auth_ref', p_old_auth_ref, 'new_auth_ref', p_auth_ref,
      'old_rate_group', case when v_moves then p_channel.rate_group end,
      'new_rate_group', case when v_moves then p_rate_group end)), p_now);
  if v_is_held and p_channel.paused_until > p_now then
    perform outrider.write_channel_event(p_channel.workspace_id, p_channel.channel_id, 'channel_resumed', p_cause, p_now);
  end if;
end;
$$;
