-- Records that channels, and with them their groups, have sent a message just now: their next slots are a step away.
--
-- Concurrency: channels and groups are locked by the caller, and their slots were due.
create or replace function outrider.move_pace_on(p_workspace_id text, p_channels text[], p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  update outrider.channel_pace p
  set next_allowed_at = p_now + outrider.slot_step(c.rate_rps), quiet_until = p_now + outrider.slot_step(c.rate_rps)
  from outrider.channels c
  where c.workspace_id = p_workspace_id and c.channel_id = any (p_channels) and c.rate_rps > 0
    and p.workspace_id = c.workspace_id and p.channel_id = c.channel_id;

  update outrider.platform_limits g
  set next_allowed_at = p_now + outrider.slot_step(g.rate_rps), updated_at = p_now
  from (
    select distinct c.platform, c.rate_group from outrider.channels c
    where c.workspace_id = p_workspace_id and c.channel_id = any (p_channels)
  ) s
  where g.workspace_id = p_workspace_id and g.platform = s.platform and g.rate_group = s.rate_group and g.rate_rps > 0;
end;
$$;
