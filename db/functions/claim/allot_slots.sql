-- Picks the next deliveries of each open lane in order of arrival, gives each a slot, and records the
-- next free slot of every channel and group that is paced.
--
-- A slot is the earliest time that suits the channel's pace and its group's; each slot moves both on,
-- so no two slots of a channel, and none of a group, come closer than their rate. Deliveries are
-- served in the order of the slot that their channel alone would give them, channels in turn: a slow
-- channel does not hold its group up, and a long backlog does not keep the others waiting.
-- A delivery whose slot was given out ahead keeps it, however late somebody comes for it.
-- Concurrency: the lanes are locked by the caller; the rows of their queues have no other taker. Each
-- delivery that is picked is locked; one that somebody else has locked (an operator) is passed over, takes
-- no slot, and keeps its place in the queue. Of a channel 1,000 are passed over at most.
-- Returns: the queue rows whose slot is due, and those whose slot lies ahead; at most p_limit.
create or replace function outrider.allot_slots(
  p_workspace_id text,
  p_limit integer,
  p_now timestamptz,
  p_channels text[],
  p_channel_tids tid[],
  p_rooms integer[],
  p_allowances integer[],
  p_steps interval[],
  p_next timestamptz[],
  p_groups integer[],
  p_group_tids tid[],
  p_group_steps interval[],
  p_group_next timestamptz[],
  out due_tids tid[], out due_ids uuid[], out due_slots timestamptz[], out due_lanes integer[],
  out ahead_tids tid[], out ahead_slots timestamptz[]
)
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_share constant integer := greatest(1, p_limit / cardinality(p_channels));
  v_passed_over constant integer := 1000;
  v_group_next timestamptz[];
  v_group_tids tid[];
  v_tids tid[];
  v_ids uuid[];
  v_lanes integer[];
  v_slots timestamptz[];
  v_lane integer;
  v_slot timestamptz;
begin
  for v_i in 1 .. cardinality(p_channels) loop
    v_group_next[p_groups[v_i]] := p_group_next[v_i];
    v_group_tids[p_groups[v_i]] := p_group_tids[v_i];
  end loop;

  -- Slots given out ahead that have come up.
  select array_agg(q.tid), array_agg(q.delivery_id), array_agg(q.slot), array_agg(q.lane)
  into due_tids, due_ids, due_slots, due_lanes
  from (
    select c.*, l.lane::integer as lane
    from unnest(p_channels, p_rooms) with ordinality as l (channel_id, room, lane)
    cross join lateral (
      select x.tid, x.delivery_id, x.slot, x.seq
      from (
        select r.ctid as tid, r.workspace_id, r.delivery_id, r.available_at as slot, r.seq
        from outrider.delivery_queue r
        where r.workspace_id = p_workspace_id and r.channel_id = l.channel_id and r.claimed
          and r.available_at > '-infinity' and r.available_at <= p_now
        order by r.available_at, r.seq
        limit greatest(0, l.room) + v_passed_over
      ) x
      cross join lateral (
        select from outrider.deliveries d
        where d.workspace_id = x.workspace_id and d.delivery_id = x.delivery_id and d.status = 'claimed'
        for no key update skip locked
      ) had
      limit greatest(0, l.room)
    ) c
    order by c.slot, c.seq
    limit p_limit
  ) q;

  -- New ones, in the order of the slot that their channel alone would give them.
  select array_agg(x.tid), array_agg(x.delivery_id), array_agg(x.lane), array_agg(x.slot)
  into v_tids, v_ids, v_lanes, v_slots
  from (
    select q.tid, q.delivery_id, l.lane::integer as lane, greatest(l.next, l.group_next) as slot
    from unnest(p_channels, p_allowances, p_steps, p_next, p_group_next) with ordinality
      as l (channel_id, allowance, step, next, group_next, lane)
    cross join lateral (
      select picked.tid, picked.delivery_id, row_number() over () - 1 as place
      from (
        select x.tid, x.delivery_id
        from (
          select w.ctid as tid, w.workspace_id, w.delivery_id
          from outrider.delivery_queue w
          where w.workspace_id = p_workspace_id and w.channel_id = l.channel_id and w.available_at = '-infinity'
          order by w.seq
          limit v_share + v_passed_over
        ) x
        cross join lateral (
          select from outrider.deliveries d
          where d.workspace_id = x.workspace_id and d.delivery_id = x.delivery_id and d.status in ('queued', 'retry')
          for no key update skip locked
        ) had
        limit greatest(0, least(l.allowance, v_share))
      ) picked
    ) q
    order by l.next + q.place * l.step, q.place, l.lane
    limit p_limit - coalesce(cardinality(due_ids), 0)
  ) x;

  -- Each slot moves its channel and its group on. Without a pace anywhere there is nothing to move.
  if v_ids is not null and (interval '0' < any (p_steps) or interval '0' < any (p_group_steps)) then
    v_slots := null;
    foreach v_lane in array v_lanes loop
      v_slot := greatest(p_next[v_lane], v_group_next[p_groups[v_lane]]);
      p_next[v_lane] := v_slot + p_steps[v_lane];
      v_group_next[p_groups[v_lane]] := v_slot + p_group_steps[v_lane];
      v_slots := v_slots || v_slot;
    end loop;
  end if;

  select
    due_tids || array_agg(s.tid) filter (where s.slot <= p_now),
    due_ids || array_agg(s.id) filter (where s.slot <= p_now),
    due_slots || array_agg(s.slot) filter (where s.slot <= p_now),
    due_lanes || array_agg(s.lane) filter (where s.slot <= p_now),
    array_agg(s.tid) filter (where s.slot > p_now),
    array_agg(s.slot) filter (where s.slot > p_now)
  into due_tids, due_ids, due_slots, due_lanes, ahead_tids, ahead_slots
  from unnest(v_tids, v_ids, v_slots, v_lanes) as s (tid, id, slot, lane);

  update outrider.channels c
  set next_allowed_at = l.next, updated_at = p_now
  from unnest(p_channel_tids, p_next) as l (tid, next)
  where c.ctid = l.tid and c.rate_rps > 0 and c.next_allowed_at is distinct from l.next;

  update outrider.platform_limits g
  set next_allowed_at = l.next, updated_at = p_now
  from unnest(v_group_tids, v_group_next) as l (tid, next)
  where g.ctid = l.tid and g.rate_rps > 0 and g.next_allowed_at is distinct from l.next;
end;
$$;
