-- First phase of a claim: finds the channels that may send, gives their next deliveries slots, and
-- takes those whose slot is due out of the queue. Those whose slot lies ahead rest in `claimed`.
--
-- Concurrency: locks platform_limits, then channels (lock_lanes), so that no other claim takes from the
-- same queues. An operator may change a waiting delivery at that moment: a delivery that has left the queue before
-- this function takes it is not sent.
-- Returns: the open channels, and their due deliveries, which are locked; nulls when there are none. The lane of a
-- delivery is the place of its channel in the list of channels.
create or replace function outrider.allocate(
  p_workspace_id text,
  p_token uuid,
  p_limit integer,
  p_per_channel integer,
  p_now timestamptz,
  out channels text[],
  out due outrider.picked_delivery[]
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
    array_agg(l.lane) filter (where l.open) as open,
    array_agg(l.channel_id) filter (where l.open) as channels,
    array_agg(l.channel_id) filter (where l.has_missed_slots) as missed,
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

  v_slots := outrider.allot_slots(p_workspace_id, p_limit, v_lanes.open, v_lanes.has_slots, p_now);
  if v_slots.ahead is not null then
    perform outrider.rest_until_slot(p_token, v_slots.ahead, p_now);
  end if;
  if v_slots.due is null then
    return;
  end if;

  with taken as (
    delete from outrider.delivery_queue q
    where q.ctid = any (array(select d.queue_tid from unnest(v_slots.due) d))
    returning q.ctid as tid
  )
  select array_agg(t.tid) into v_taken from taken t;

  channels := v_lanes.channels;
  due := v_slots.due;
  if cardinality(v_taken) is distinct from cardinality(due) then
    due := (select array_agg(d) from unnest(v_slots.due) d where d.queue_tid = any (v_taken));
  end if;
end;
$$;
