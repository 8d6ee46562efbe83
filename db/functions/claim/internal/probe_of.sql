-- The channel that makes the probe for a group in an outage: its next delivery shows whether the platform is back. Null
-- when no channel can make it now.
--
-- Channels that have not found the platform ill come first, then the one that found it ill longest ago: channels that
-- are broken themselves cannot keep a sound one from showing that the platform is well.
-- The channel must have a slot that is due, no slot given out ahead, and no delivery being sent. So the probe goes out
-- at once, or another channel makes it.
create or replace function outrider.probe_of(p_group outrider.platform_limits, p_now timestamptz)
  returns text
  language plpgsql
  stable
as $$
begin
  return (
    select c.channel_id
    from outrider.channels c
    join outrider.channel_pace p on p.workspace_id = c.workspace_id and p.channel_id = c.channel_id
    cross join lateral (
      select q.seq, q.weight from outrider.delivery_queue q
      where q.workspace_id = c.workspace_id and q.channel_id = c.channel_id and q.available_at <= p_now and not q.claimed
      order by q.available_at, q.seq
      limit 1
    ) first
    where c.workspace_id = p_group.workspace_id and c.platform = p_group.platform and c.rate_group = p_group.rate_group
      and c.enabled and outrider.channel_opens_at(c) <= p_now
      and greatest(outrider.channel_slot_at(c.rate_rps, p.next_allowed_at, first.weight), p_group.next_allowed_at, '-infinity') <= p_now
      and not exists (
        select from outrider.delivery_queue q
        where q.workspace_id = c.workspace_id and q.channel_id = c.channel_id and q.claimed and q.available_at > '-infinity'
      )
      and not exists (
        select from outrider.leases l
        where l.workspace_id = c.workspace_id and l.channel_id = c.channel_id and l.open_count > 0
      )
    order by array_position(p_group.outage_channels, c.channel_id) nulls first, first.seq
    limit 1
  );
end;
$$;
