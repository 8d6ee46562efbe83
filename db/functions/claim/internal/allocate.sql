-- First phase of a claim: finds the channels that may send, gives their next deliveries slots, and
-- takes those whose slot is due out of the queue. Those whose slot lies ahead rest in `claimed`.
--
-- Concurrency: locks platform_limits, then channels (lock_lanes), so that no other claim takes from the
-- same queues. Somebody else may change a waiting delivery at that moment (an operator): what turns out
-- to be gone from the queue when it is taken is not sent.
-- Returns: the open channels, and the deliveries due in them, which are locked, each with its slot and the place of its
-- channel in that list; nulls when there are none.
create or replace function outrider.allocate(
  p_workspace_id text,
  p_token uuid,
  p_limit integer,
  p_per_channel integer,
  p_now timestamptz,
  out channels text[],
  out delivery_tids tid[],
  out slots timestamptz[],
  out lanes integer[]
)
  language plpgsql
  volatile
as $$
declare
  v_lanes record;
  v_slots record;
  v_taken tid[];
begin
  select
    array_agg(l.channel_id) filter (where l.open) as channels,
    array_agg(l.pace_tid) filter (where l.open) as pace_tids,
    array_agg(l.room) filter (where l.open) as rooms,
    array_agg(l.allowance) filter (where l.open) as allowances,
    array_agg(l.step) filter (where l.open) as steps,
    array_agg(l.next_slot) filter (where l.open) as next_slots,
    array_agg(l.quiet_until) filter (where l.open) as quiet_untils,
    array_agg(case when l.late then 0 else l.promised end) filter (where l.open) as promised,
    array_agg(l.group_no) filter (where l.open) as groups,
    array_agg(l.group_tid) filter (where l.open) as group_tids,
    array_agg(l.group_step) filter (where l.open) as group_steps,
    array_agg(l.group_next_slot) filter (where l.open) as group_next_slots,
    array_agg(l.channel_id) filter (where l.resting > 0 and (l.late or not l.open)) as missed,
    bool_or(l.resting > 0) as has_slots,
    bool_or(l.has_come_due) as has_come_due
  into v_lanes
  from outrider.lock_lanes(p_workspace_id, p_limit, p_per_channel, p_now) l;

  if v_lanes.missed is not null then
    perform outrider.return_resting(p_workspace_id, v_lanes.missed, p_now);
  end if;
  if v_lanes.channels is null then
    return;
  end if;

  if v_lanes.has_come_due or v_lanes.missed is not null then
    perform outrider.promote_due(p_workspace_id, v_lanes.channels, 10 * p_limit, p_now);
  end if;

  v_slots := outrider.allot_slots(
    p_workspace_id, p_limit, p_now, v_lanes.has_slots,
    v_lanes.channels, v_lanes.pace_tids, v_lanes.rooms, v_lanes.allowances, v_lanes.steps, v_lanes.next_slots,
    v_lanes.quiet_untils, v_lanes.promised, v_lanes.groups, v_lanes.group_tids, v_lanes.group_steps, v_lanes.group_next_slots
  );

  if v_slots.ahead_tids is not null then
    perform outrider.rest_until_slot(p_token, v_slots.ahead_tids, v_slots.ahead_slots, v_slots.ahead_weights, p_now);
  end if;
  if v_slots.due_tids is null then
    return;
  end if;

  with taken as (
    delete from outrider.delivery_queue q where q.ctid = any (v_slots.due_tids) returning q.ctid as tid
  )
  select array_agg(t.tid) into v_taken from taken t;

  channels := v_lanes.channels;
  delivery_tids := v_slots.due_delivery_tids;
  slots := v_slots.due_slots;
  lanes := v_slots.due_lanes;
  if cardinality(v_taken) is distinct from cardinality(delivery_tids) then
    select array_agg(s.delivery_tid), array_agg(s.slot), array_agg(s.lane) into delivery_tids, slots, lanes
    from unnest(v_slots.due_tids, v_slots.due_delivery_tids, v_slots.due_slots, v_slots.due_lanes)
      as s (tid, delivery_tid, slot, lane)
    where s.tid = any (v_taken);
  end if;
end;
$$;
