-- Lets a rate group whose limit has changed go on at its new pace: see restart_pace.
--
-- Concurrency: the group is locked by the caller; locks its channels, in order.
create or replace function outrider.restart_group(
  p_workspace_id text,
  p_platform text,
  p_rate_group text,
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
as $$
begin
  perform outrider.restart_pace(p_workspace_id, array(
    select c.channel_id from outrider.channels c
    where c.workspace_id = p_workspace_id and c.platform = p_platform and c.rate_group = p_rate_group
    order by c.channel_id
    for no key update
  ), p_now);
  update outrider.platform_limits g
  set next_allowed_at = p_now + outrider.slot_step(g.rate_rps)
  where g.workspace_id = p_workspace_id and g.platform = p_platform and g.rate_group = p_rate_group
    and g.next_allowed_at > p_now + outrider.slot_step(g.rate_rps);
end;
$$;
