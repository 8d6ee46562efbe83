-- Lets channels whose rate or rate group has changed go on at their new pace: slots that were given out ahead are taken
-- back, and the next slot is at most one step away.
--
-- Concurrency: the channels are locked by the caller.
create or replace function outrider.restart_pace(p_workspace_id text, p_channels text[], p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  perform outrider.return_resting(p_workspace_id, p_channels, p_now);
  update outrider.channel_pace p
  set next_allowed_at = n.one_step_away, quiet_until = n.one_step_away
  from outrider.channels c
  cross join lateral (select p_now + outrider.slot_step(c.rate_rps) as one_step_away) n
  where c.workspace_id = p_workspace_id and c.channel_id = any (p_channels)
    and p.workspace_id = c.workspace_id and p.channel_id = c.channel_id
    and p.next_allowed_at > n.one_step_away;
end;
$$;
