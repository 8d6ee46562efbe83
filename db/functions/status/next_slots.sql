create or replace function outrider.next_slots(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (channel_id text, delivery_id uuid, at timestamptz)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('next_slots', p_workspace_id);
  perform outrider.require_time('next_slots', p_now);

  return query
  select c.channel_id, f.delivery_id, greatest(o.at, p_now)
  from outrider.workspaces w
  join outrider.channels c on c.workspace_id = w.workspace_id and c.enabled
  join outrider.channel_pace p on p.workspace_id = c.workspace_id and p.channel_id = c.channel_id
  left join outrider.platform_limits g
    on g.workspace_id = c.workspace_id and g.platform = c.platform and g.rate_group = c.rate_group
  cross join lateral (
    (
      -- A delivery that was claimed ahead has its slots already.
      select q.delivery_id, q.available_at as at, true as has_slot, q.weight from outrider.delivery_queue q
      where q.workspace_id = c.workspace_id and q.channel_id = c.channel_id and q.claimed
      order by q.available_at
      limit 1
    )
    union all
    (
      select q.delivery_id, q.available_at, false, q.weight from outrider.delivery_queue q
      where q.workspace_id = c.workspace_id and q.channel_id = c.channel_id and not q.claimed
      order by q.available_at, q.seq
      limit 1
    )
  ) f
  cross join lateral (
    select greatest(
      f.at, outrider.channel_opens_at(c), outrider.group_opens_at(g),
      case when c.window_mode = 'windowed' then outrider.window_opening(c.posting_window, c.timezone, p_now) end,
      case when not f.has_slot then outrider.channel_slot_at(c.rate_rps, p.next_allowed_at, f.weight::integer) end,
      case when not f.has_slot then g.next_allowed_at end
    ) as at
  ) o
  where w.workspace_id = p_workspace_id and w.status = 'active' and o.at < 'infinity'
  order by greatest(o.at, p_now), c.channel_id, f.has_slot desc;
end;
$$;

comment on function outrider.next_slots is $doc$When the channels of a workspace send next, as far as is known now: for each channel its next slot that is given out, and the
earliest moment for the first delivery that has none yet. It assumes that the channel has room for one more send (max_parallel).

Returns: two rows at most for each channel in which something waits, the soonest first; none for a channel that waits for a
person, and none at all while the workspace is not active. `at` is p_now for a delivery that only waits for a sender.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.next_slots to outrider_reader;
