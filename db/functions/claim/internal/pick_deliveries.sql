-- The next deliveries of each open lane: first those whose slot has come up, then new ones.
--
-- Within a channel they are in order of arrival. Among channels, the one with the earliest slot is next, so a long
-- backlog does not keep the others waiting.
-- Concurrency: the lanes are locked by the caller, so nobody else takes rows from their queues. Each picked delivery is
-- locked. A delivery that somebody else (an operator) has locked is skipped: it takes no slot, and keeps its place in
-- the queue. At most 1,000 deliveries of a channel are skipped.
-- Returns: at most p_limit deliveries; the first `came_up` of them have a slot. The slot of a new one is the time from
-- which its group may send; the pace of its channel is not considered.
create or replace function outrider.pick_deliveries(
  p_workspace_id text,
  p_limit integer,
  p_lanes outrider.lane[],
  p_has_slots boolean,
  p_now timestamptz,
  out picked outrider.picked_delivery[],
  out came_up integer
)
  language plpgsql
  volatile
as $$
declare
  v_share constant integer := greatest(1, p_limit / cardinality(p_lanes));
  v_passed_over constant integer := 1000;
begin
  -- It is volatile because it locks rows, which the checker does not see:
  -- @plpgsql_check_options: performance_warnings = false
  came_up := 0;
  if p_has_slots then
    select array_agg(row(q.tid, q.delivery_tid, q.lane, q.weight, q.slot)::outrider.picked_delivery), count(*)::integer
    into picked, came_up
    from (
      select c.*, l.ordinality as lane, max(c.slot) over (partition by l.ordinality order by c.seq) as turn
      from unnest(p_lanes) with ordinality as l
      cross join lateral (
        select x.tid, had.tid as delivery_tid, x.weight, x.slot, x.seq
        from (
          select r.ctid as tid, r.workspace_id, r.delivery_id, r.weight, r.available_at as slot, r.seq
          from outrider.delivery_queue r
          where r.workspace_id = p_workspace_id and r.channel_id = l.channel_id and r.claimed
            and r.available_at > '-infinity' and r.available_at <= p_now
          order by r.available_at, r.seq
          limit greatest(0, l.room) + v_passed_over
        ) x
        cross join lateral (
          select d.ctid as tid from outrider.deliveries d
          where d.workspace_id = x.workspace_id and d.delivery_id = x.delivery_id and d.status = 'claimed'
          for no key update skip locked
        ) had
        limit greatest(0, l.room)
      ) c
      order by turn, c.seq
      limit p_limit
    ) q;
  end if;

  select picked || array_agg(row(x.tid, x.delivery_tid, x.lane, x.weight, x.slot)::outrider.picked_delivery)
  into picked
  from (
    select q.tid, q.delivery_tid, l.ordinality as lane, q.weight, greatest(p_now, l.group_next_slot) as slot
    from unnest(p_lanes) with ordinality as l
    cross join lateral (
      select
        new.tid, new.delivery_tid, new.weight, row_number() over so_far as place,
        sum(new.weight) over so_far - new.weight as slots_before
      from (
        select x.tid, had.tid as delivery_tid, x.weight, x.seq
        from (
          select w.ctid as tid, w.workspace_id, w.delivery_id, w.weight, w.seq
          from outrider.delivery_queue w
          where w.workspace_id = p_workspace_id and w.channel_id = l.channel_id and w.available_at = '-infinity'
          order by w.seq
          limit v_share + v_passed_over
        ) x
        cross join lateral (
          select d.ctid as tid from outrider.deliveries d
          where d.workspace_id = x.workspace_id and d.delivery_id = x.delivery_id and d.status in ('queued', 'retry')
          for no key update skip locked
        ) had
        limit greatest(0, least(l.allowance, v_share))
      ) new
      window so_far as (order by new.seq rows unbounded preceding)
    ) q
    order by greatest(p_now, l.next_slot) + q.slots_before * l.step, q.place, l.ordinality
    limit p_limit - came_up
  ) x;
end;
$$;
