-- Gives the next deliveries of each open lane (pick_deliveries) a slot, and records the next free slot of every channel
-- and group that is paced.
--
-- A delivery takes the slot of its channel first, which it keeps however late somebody comes for it. The slot of its
-- group it takes when that one has come: so a channel whose slots lie far apart does not hold its group up. It takes
-- both at once when the group has no earlier one, and its channel has promised none that is still to be settled with
-- the group. Each slot moves its channel or its group on, so that no two slots of a channel, and none of a group, come
-- closer than their rate.
-- A call that counts as several messages takes as many slots. Of those of its channel it is made at the second: all
-- its messages come at once, and need quiet before them as well as behind.
-- p_has_slots: some of these lanes have slots that were given out ahead.
-- Concurrency: the lanes are locked by the caller, the deliveries by pick_deliveries.
-- Returns: the queue rows whose slots are due, and those that have to rest until theirs, with what is left of their
-- weight; at most p_limit.
create or replace function outrider.allot_slots(
  p_workspace_id text,
  p_limit integer,
  p_now timestamptz,
  p_has_slots boolean,
  p_channels text[],
  p_pace_tids tid[],
  p_rooms integer[],
  p_allowances integer[],
  p_steps interval[],
  p_next timestamptz[],
  p_quiet timestamptz[],
  p_promised integer[],
  p_groups integer[],
  p_group_tids tid[],
  p_group_steps interval[],
  p_group_next timestamptz[],
  out due_tids tid[], out due_delivery_tids tid[], out due_slots timestamptz[], out due_lanes integer[],
  out ahead_tids tid[], out ahead_slots timestamptz[], out ahead_weights smallint[]
)
  language plpgsql
  volatile
as $$
declare
  v_group_next timestamptz[];
  v_group_tids tid[];
  v_picked record;
  v_lane integer;
  v_group integer;
  v_weight smallint;
  v_lead interval;
  v_length interval;
  v_slot timestamptz;
  v_own_promise integer;
  v_is_certain boolean;
begin
  for v_i in 1 .. cardinality(p_channels) loop
    v_group_next[p_groups[v_i]] := p_group_next[v_i];
    v_group_tids[p_groups[v_i]] := p_group_tids[v_i];
  end loop;

  v_picked := outrider.pick_deliveries(
    p_workspace_id, p_limit, p_now, p_has_slots, p_channels, p_rooms, p_allowances, p_steps, p_next, p_group_next);

  -- Without a pace anywhere there is nothing to move on.
  if v_picked.tids is not null and (interval '0' < any (p_steps) or interval '0' < any (p_group_steps)) then
    for v_n in 1 .. cardinality(v_picked.tids) loop
      v_weight := v_picked.weights[v_n];
      continue when v_weight = 0;
      v_lane := v_picked.lanes[v_n];
      v_group := p_groups[v_lane];
      v_lead := least(v_weight - 1, 1) * p_steps[v_lane];
      v_length := v_weight * p_steps[v_lane] - v_lead;
      v_slot := case when v_n <= v_picked.came_up then greatest(v_picked.slots[v_n], p_quiet[v_lane] + v_lead)
        else greatest(p_now, p_next[v_lane] + v_lead) end;
      v_own_promise := (v_n <= v_picked.came_up)::integer;
      v_is_certain := v_slot <= p_now or (
        v_slot <= v_group_next[v_group] and p_promised[v_lane] = v_own_promise
        and (p_next[v_lane] <= p_now or coalesce(p_next[v_lane] <= p_quiet[v_lane], true)));
      p_promised[v_lane] := p_promised[v_lane] - v_own_promise + (not v_is_certain)::integer;
      if v_is_certain then
        v_slot := greatest(v_slot, v_group_next[v_group]);
        v_group_next[v_group] := v_slot + v_weight * p_group_steps[v_lane];
        v_picked.weights[v_n] := 0;
      end if;
      if v_length > interval '0' then
        p_next[v_lane] := greatest(p_next[v_lane], v_slot + v_length);
        p_quiet[v_lane] := case when v_is_certain then v_slot + v_length else coalesce(p_quiet[v_lane], p_now) end;
      end if;
      v_picked.slots[v_n] := v_slot;
    end loop;
  end if;

  select
    array_agg(s.tid) filter (where s.slot <= p_now), array_agg(s.delivery_tid) filter (where s.slot <= p_now),
    array_agg(s.slot) filter (where s.slot <= p_now), array_agg(s.lane) filter (where s.slot <= p_now),
    array_agg(s.tid) filter (where s.slot > p_now), array_agg(s.slot) filter (where s.slot > p_now),
    array_agg(s.weight) filter (where s.slot > p_now)
  into due_tids, due_delivery_tids, due_slots, due_lanes, ahead_tids, ahead_slots, ahead_weights
  from unnest(v_picked.tids, v_picked.delivery_tids, v_picked.slots, v_picked.lanes, v_picked.weights)
    as s (tid, delivery_tid, slot, lane, weight);

  if interval '0' < any (p_steps) then
    update outrider.channel_pace p
    set next_allowed_at = l.next, quiet_until = l.quiet
    from unnest(p_pace_tids, p_next, p_quiet, p_steps) as l (tid, next, quiet, step)
    where p.ctid = l.tid and p.workspace_id = p_workspace_id and l.step > interval '0'
      and (p.next_allowed_at, p.quiet_until) is distinct from (l.next, l.quiet);
  end if;
  if interval '0' < any (p_group_steps) then
    update outrider.platform_limits g
    set next_allowed_at = l.next, updated_at = p_now
    from unnest(v_group_tids, v_group_next) as l (tid, next)
    where g.ctid = l.tid and g.rate_rps > 0 and g.next_allowed_at is distinct from l.next;
  end if;
end;
$$;
