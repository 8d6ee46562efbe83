-- Channels as somebody watches them: whether each sends, how much waits, its pace and its next slot. Those that do not
-- send come first, the worst state first.
--
-- p_sent: how many deliveries each sent lately (sends_lately). What waits is counted up to 1,000 in each channel.
-- Returns: `states` counts the channels by their state (list_channels); `listed` has p_limit of them at most. In a row
-- slot_at is when the channel and its rate group are free for a call; null: they are now. next_at is when the next delivery
-- goes out; null: nothing waits, or that depends on a person or a probe. next_delivery_id is the first that waits.
create or replace function outrider.active_channels(
  p_workspace_id text,
  p_channels text[],
  p_sent jsonb,
  p_limit integer,
  p_now timestamptz,
  out states json,
  out listed json
)
  language plpgsql
  stable
as $$
declare
  v_states constant text[] := array[
    'credential_refused', 'disabled', 'paused', 'resting', 'probing', 'cooling_down', 'closed', 'open'];
begin
  with judged as materialized (
    select
      c as channel, l.next_allowed_at as group_slot_at, g.state, g.until, g.reason,
      row_number() over (order by array_position(v_states, g.state), c.error_streak desc, c.channel_id) as place
    from unnest(p_channels) as u (id)
    join outrider.channels c on c.workspace_id = p_workspace_id and c.channel_id = u.id
    left join outrider.platform_limits l
      on l.workspace_id = c.workspace_id and l.platform = c.platform and l.rate_group = c.rate_group
    cross join lateral outrider.channel_gate(c, l, p_now) g
  )
  select
    (
      select json_object_agg(s.state, coalesce(n.count, 0))
      from unnest(v_states) as s (state)
      left join (select j.state, count(*) as count from judged j group by j.state) n on n.state = s.state
    ),
    (
      select coalesce(json_agg(json_build_object(
        'channel_id', (j.channel).channel_id, 'platform', (j.channel).platform, 'title', (j.channel).title,
        'rate_group', (j.channel).rate_group, 'state', j.state, 'until', j.until, 'reason', j.reason,
        'waiting', w.count, 'sending', s.count, 'max_parallel', (j.channel).max_parallel,
        'rate_rps', (j.channel).rate_rps, 'sent', coalesce((p_sent ->> (j.channel).channel_id)::integer, 0),
        'error_streak', (j.channel).error_streak, 'slot_at', case when p.slot_at > p_now then p.slot_at end,
        'next_at', case when w.count > 0 and (j.state = 'open' or j.until is not null)
          then greatest(p_now, j.until, coalesce(r.at, greatest(f.at, p.slot_at))) end,
        'next_delivery_id', coalesce(r.delivery_id, f.delivery_id)
      ) order by j.place), '[]')
      from judged j
      cross join lateral (
        select count(*) as count
        from (
          select from outrider.delivery_queue q
          where q.workspace_id = p_workspace_id and q.channel_id = (j.channel).channel_id
          limit 1000
        ) q
      ) w
      cross join lateral (
        select coalesce(sum(h.open_count), 0) as count from outrider.leases h
        where h.workspace_id = p_workspace_id and h.channel_id = (j.channel).channel_id
      ) s
      cross join lateral (
        select greatest(outrider.channel_slot_at((j.channel).rate_rps, x.next_allowed_at, 1), j.group_slot_at) as slot_at
        from (values (1)) as one (row)
        left join outrider.channel_pace x on x.workspace_id = p_workspace_id and x.channel_id = (j.channel).channel_id
      ) p
      -- What was claimed with a slot ahead goes first; what waits behind it gets the next free slot.
      left join lateral (
        select q.delivery_id, q.available_at as at from outrider.delivery_queue q
        where q.workspace_id = p_workspace_id and q.channel_id = (j.channel).channel_id and q.claimed
        order by q.available_at
        limit 1
      ) r on true
      left join lateral (
        select q.delivery_id, q.available_at as at from outrider.delivery_queue q
        where q.workspace_id = p_workspace_id and q.channel_id = (j.channel).channel_id and not q.claimed
        order by q.available_at, q.seq
        limit 1
      ) f on true
      where j.place <= p_limit
    )
  into states, listed;
end;
$$;
