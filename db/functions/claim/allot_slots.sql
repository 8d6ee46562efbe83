-- Picks the next deliveries of each open lane in order of arrival, gives each a slot, and records the
-- next free slot of every channel and group that is paced.
--
-- A slot is the earliest time that suits the channel's pace and its group's; each slot moves both on,
-- so no two slots of a channel, and none of a group, come closer than their rate. Deliveries are
-- served in the order of the slot that their channel alone would give them: a slow channel does not
-- hold its group up. A delivery whose slot was given out ahead keeps it, unless nobody came for it
-- within a second: then its place is gone and it gets the next one.
-- Concurrency: the lanes are locked by the caller; the rows of their queues have no other taker.
-- Returns: the queue rows whose slot is due, and those whose slot lies ahead; at most p_limit.
create or replace function outrider.allot_slots(
  p_workspace_id text,
  p_limit integer,
  p_now timestamptz,
  p_channels text[],
  p_channel_tids tid[],
  p_allowances integer[],
  p_steps interval[],
  p_next timestamptz[],
  p_groups integer[],
  p_group_tids tid[],
  p_group_steps interval[],
  p_group_next timestamptz[],
  out due_tids tid[], out due_ids uuid[], out due_slots timestamptz[],
  out ahead_tids tid[], out ahead_ids uuid[], out ahead_slots timestamptz[]
)
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_share constant integer := greatest(1, p_limit / cardinality(p_channels));
  v_group_next timestamptz[];
  v_group_tids tid[];
  v_row record;
  v_slot timestamptz;
begin
  for v_lane in 1 .. cardinality(p_channels) loop
    v_group_next[p_groups[v_lane]] := p_group_next[v_lane];
    v_group_tids[p_groups[v_lane]] := p_group_tids[v_lane];
  end loop;

  for v_row in
    select q.tid, q.delivery_id, q.kept_slot, l.lane, l.group_no, l.step, l.group_step
    from unnest(p_channels, p_allowances, p_steps, p_next, p_groups, p_group_steps) with ordinality
      as l (channel_id, allowance, step, next, group_no, group_step, lane)
    cross join lateral (
      (
        select
          c.ctid as tid, c.delivery_id, 0::bigint as place,
          case when c.available_at >= p_now - interval '1 second' then c.available_at end as kept_slot
        from outrider.delivery_queue c
        where c.workspace_id = p_workspace_id and c.channel_id = l.channel_id
          and c.claimed and c.available_at <= p_now
        order by c.available_at, c.seq
      )
      union all
      (
        select w.ctid, w.delivery_id, row_number() over () - 1, null::timestamptz
        from outrider.delivery_queue w
        where w.workspace_id = p_workspace_id and w.channel_id = l.channel_id
          and w.available_at = '-infinity'
        order by w.seq
        limit greatest(0, least(l.allowance, v_share))
      )
    ) q
    order by q.kept_slot, l.next + q.place * l.step, l.lane
    limit p_limit
  loop
    v_slot := v_row.kept_slot;
    if v_slot is null then
      v_slot := greatest(p_next[v_row.lane], v_group_next[v_row.group_no]);
      p_next[v_row.lane] := v_slot + v_row.step;
      v_group_next[v_row.group_no] := v_slot + v_row.group_step;
    end if;

    if v_slot <= p_now then
      due_tids := due_tids || v_row.tid;
      due_ids := due_ids || v_row.delivery_id;
      due_slots := due_slots || v_slot;
    else
      ahead_tids := ahead_tids || v_row.tid;
      ahead_ids := ahead_ids || v_row.delivery_id;
      ahead_slots := ahead_slots || v_slot;
    end if;
  end loop;

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
