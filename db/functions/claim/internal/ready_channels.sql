-- The channels that a claim should look at: open ones with a slot that has come up, or with a due delivery and room for
-- it; and closed ones that hold slots given out ahead, to take these back.
--
-- When more than p_limit are ready, those with a slot that has come up go first, by its time; then those whose first
-- delivery came earliest; closed ones last. When at most p_limit are ready, the first delivery of a queue is not looked
-- up: until a vacuum, a queue that is being sent begins with index entries of deleted rows, and each costs a look.
-- Whether anything waits is seen at the end of the queue.
-- Unlocked: a hint that lock_lanes checks again.
-- Returns: the channels, empty when there are none; and which steps the claim needs for all that are ready: `lacks_row`
-- when a group has no row in platform_limits, `has_come_due` when a delivery that waited for a time is due (see
-- promote_due): then the last one that is due stands behind '-infinity'. A closed channel always counts as having one, because
-- it may be open by the time it is locked.
create or replace function outrider.ready_channels(
  p_workspace_id text,
  p_limit integer,
  p_now timestamptz,
  out channels text[],
  out lacks_row boolean,
  out has_come_due boolean
)
  language plpgsql
  stable
as $$
declare
  v_open boolean[];
  v_next_slots timestamptz[];
begin
  select
    coalesce(array_agg(ready.channel_id), '{}'), array_agg(ready.open), array_agg(ready.next_slot),
    bool_or(ready.lacks_row), bool_or(ready.has_come_due)
  into channels, v_open, v_next_slots, lacks_row, has_come_due
  from (
    select
      c.channel_id, g.platform is null as lacks_row, o.open,
      case when r.next_slot <= p_now then r.next_slot end as next_slot,
      not o.open or last.available_at > '-infinity' as has_come_due
    from outrider.channels c
    left join outrider.platform_limits g
      on g.workspace_id = c.workspace_id and g.platform = c.platform and g.rate_group = c.rate_group
    cross join lateral (
      select
        c.enabled and outrider.channel_opens_at(c) <= p_now and outrider.group_opens_at(g) <= p_now
        and (g.outage_since is null or c.channel_id = outrider.probe_of(g, p_now)) as open
      offset 0
    ) o
    cross join lateral (
      select count(*) as resting, min(q.available_at) as next_slot from outrider.delivery_queue q
      where q.workspace_id = p_workspace_id and q.channel_id = c.channel_id and q.claimed and q.available_at > '-infinity'
    ) r
    cross join lateral (
      select c.max_parallel - coalesce(sum(l.open_count), 0) as room from outrider.leases l
      where l.workspace_id = p_workspace_id and l.channel_id = c.channel_id
    ) s
    left join lateral (
      select q.available_at from outrider.delivery_queue q
      where o.open and q.workspace_id = p_workspace_id and q.channel_id = c.channel_id
        and q.available_at <= p_now and not q.claimed
      order by q.available_at desc, q.seq desc
      limit 1
    ) last on true
    where c.workspace_id = p_workspace_id
      and case
        when o.open then
          s.room > 0 and (r.next_slot <= p_now or (last.available_at is not null and s.room > r.resting))
        else r.resting > 0
      end
  ) ready;

  if cardinality(channels) > p_limit then
    channels := array(
      select u.channel_id
      from unnest(channels, v_open, v_next_slots) as u (channel_id, open, next_slot)
      order by not u.open, u.next_slot, (
        select q.seq from outrider.delivery_queue q
        where q.workspace_id = p_workspace_id and q.channel_id = u.channel_id and q.available_at <= p_now and not q.claimed
        order by q.available_at, q.seq
        limit 1
      )
      limit p_limit
    );
  end if;
end;
$$;
