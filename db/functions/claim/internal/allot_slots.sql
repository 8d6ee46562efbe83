-- Gives the next deliveries of each open lane (pick_deliveries) a slot, and records the next free slot of every channel
-- and group that is paced.
--
-- A delivery first takes a slot of its channel, and keeps it however late a sender takes the delivery. It takes a slot
-- of its group when the slot of its channel has come, so a channel whose slots lie far apart does not hold up its
-- group. It takes both at once when the group has no earlier slot free, and no other slot of the channel still waits
-- for one of the group. Each slot moves its channel or its group on, so two slots of a channel never come closer than
-- its rate allows, nor do two slots of a group.
-- A channel with a jitter gets each new slot later than its pace asks for, by a random part of the jitter.
-- A call that counts as several messages takes as many slots. It is made at the second of its channel's slots: all its
-- messages come at once, and need quiet before them as well as after them.
-- p_has_slots: some of these lanes have slots that were given out ahead.
-- Concurrency: the lanes are locked by the caller, the deliveries by pick_deliveries.
-- Returns: the deliveries that are `due`, and those that rest until a slot `ahead`; at most p_limit together. A weight
-- of 0 says that the delivery has the slot of its group too.
create or replace function outrider.allot_slots(
  p_workspace_id text,
  p_limit integer,
  p_lanes outrider.lane[],
  p_has_slots boolean,
  p_now timestamptz,
  out due outrider.picked_delivery[],
  out ahead outrider.picked_delivery[]
)
  language plpgsql
  volatile
as $$
declare
  v_picked outrider.picked_delivery[];
  v_came_up integer;
  v_is_paced boolean := false;
  v_is_group_paced boolean := false;
  v_may_be_ahead boolean := false; -- some slot of these lanes may lie ahead
  v_group_next timestamptz[];
  v_group_tids tid[];
  v_one outrider.picked_delivery;
  v_lane outrider.lane;
  v_lead interval;
  v_length interval;
  v_own_promise integer;
  v_is_certain boolean;
begin
  foreach v_lane in array p_lanes loop
    v_is_paced := v_is_paced or v_lane.step > interval '0';
    v_is_group_paced := v_is_group_paced or v_lane.group_step > interval '0';
    v_may_be_ahead := v_may_be_ahead or v_is_paced or v_is_group_paced or coalesce(v_lane.group_next_slot > p_now, false);
    v_group_next[v_lane.group_no] := v_lane.group_next_slot;
    v_group_tids[v_lane.group_no] := v_lane.group_tid;
  end loop;

  select p.picked, p.came_up into v_picked, v_came_up
  from outrider.pick_deliveries(p_workspace_id, p_limit, p_lanes, p_has_slots, p_now) p;

  -- Without a pace no slot has to be moved on.
  if v_picked is not null and (v_is_paced or v_is_group_paced) then
    for v_n in 1 .. cardinality(v_picked) loop
      v_one := v_picked[v_n];
      continue when v_one.weight = 0;
      v_lane := p_lanes[v_one.lane];
      v_lead := least(v_one.weight - 1, 1) * v_lane.step;
      v_length := v_one.weight * v_lane.step - v_lead;
      v_one.slot := case when v_n <= v_came_up then greatest(v_one.slot, v_lane.quiet_until + v_lead)
        when v_lane.jitter is null then greatest(p_now, v_lane.next_slot + v_lead)
        else greatest(p_now, v_lane.next_slot + v_lead) + random() * v_lane.jitter end;
      v_own_promise := (v_n <= v_came_up)::integer;
      v_is_certain := v_one.slot <= p_now or (
        v_one.slot <= v_group_next[v_lane.group_no] and v_lane.promised = v_own_promise
        and (v_lane.next_slot <= p_now or coalesce(v_lane.next_slot <= v_lane.quiet_until, true)));
      v_lane.promised := v_lane.promised - v_own_promise + (not v_is_certain)::integer;
      if v_is_certain then
        v_one.slot := greatest(v_one.slot, v_group_next[v_lane.group_no]);
        v_group_next[v_lane.group_no] := v_one.slot + v_one.weight * v_lane.group_step;
        v_one.weight := 0;
      end if;
      if v_length > interval '0' then
        v_lane.next_slot := greatest(v_lane.next_slot, v_one.slot + v_length);
        v_lane.quiet_until := case when v_is_certain then v_one.slot + v_length else coalesce(v_lane.quiet_until, p_now) end;
      end if;
      p_lanes[v_one.lane] := v_lane;
      v_picked[v_n] := v_one;
    end loop;
  end if;

  if v_may_be_ahead then
    select array_agg(s) filter (where s.slot <= p_now), array_agg(s) filter (where s.slot > p_now)
    into due, ahead
    from unnest(v_picked) s;
  else
    due := v_picked;
  end if;

  if v_is_paced then
    update outrider.channel_pace p
    set next_allowed_at = l.next_slot, quiet_until = l.quiet_until
    from unnest(p_lanes) l
    where p.ctid = l.pace_tid and p.workspace_id = p_workspace_id and l.step > interval '0'
      and (p.next_allowed_at, p.quiet_until) is distinct from (l.next_slot, l.quiet_until);
  end if;
  if v_is_group_paced then
    update outrider.platform_limits g
    set next_allowed_at = l.next, updated_at = p_now
    from unnest(v_group_tids, v_group_next) as l (tid, next)
    where g.ctid = l.tid and g.rate_rps > 0 and g.next_allowed_at is distinct from l.next;
  end if;
end;
$$;
