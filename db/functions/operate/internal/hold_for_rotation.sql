-- Pauses channels for two minutes, so that what they are sending can end before their credential is replaced. The pause is
-- marked (stopped_because.rotating_to): switch_auth ends it; without a rotation it ends by itself.
--
-- A channel that is paused or disabled already stays as it is. So a second call does not make the pause longer.
--
-- Concurrency: the channels are locked by the caller.
create or replace function outrider.hold_for_rotation(
  p_workspace_id text,
  p_channels text[],
  p_auth_ref text,
  p_cause jsonb,
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_until constant timestamptz := p_now + interval '2 minutes';
  v_channel_id text;
begin
  for v_channel_id in
    update outrider.channels c
    set paused_until = v_until, updated_at = p_now,
        stopped_because = outrider.mask_json(p_cause) || jsonb_build_object('rotating_to', p_auth_ref)
    where c.workspace_id = p_workspace_id and c.channel_id = any (p_channels)
      and c.enabled and coalesce(c.paused_until, '-infinity') <= p_now
    returning c.channel_id
  loop
    perform outrider.write_channel_event(p_workspace_id, v_channel_id, 'channel_paused',
      p_cause || jsonb_build_object('paused_until', v_until, 'rotating_to', p_auth_ref), p_now);
  end loop;
end;
$$;
