-- Locks the channels that a claim may take from, and returns what each allows now: its lane.
--
-- Concurrency: locks platform_limits by (platform, rate_group), then channels by channel_id, both
-- `for no key update`, so that enqueues (which take key-share locks through their foreign keys) go on.
-- What a lane says was read under its lock; its tids stay valid until the caller moves the rows. A
-- channel that changed its rate group while we waited is left out.
-- Returns: one row for each locked channel, in order of channel_id, with `has_come_due` of ready_channels.
-- In a lane, `room` is how many more deliveries max_parallel lets it send now. `allowance` is how many new deliveries
-- may get a slot: the room less the slots given out ahead, at most p_per_channel. `promised` is how many deliveries
-- rest with a slot of their channel only.
-- A channel that is not `open` is paused, disabled, cooling down or outside its posting window, or its group is not
-- open. It is locked because it `has_missed_slots`: slots were given out ahead, and have to be taken back. An open
-- channel has missed slots too when one of its slots passed while the channel or its group was closed. These are also
-- taken back: otherwise all slots that passed would come up at once, and bring on the next ban.
-- In a group in an outage at most one channel is open, for one delivery: the probe, which goes out without a jitter.
create or replace function outrider.lock_lanes(
  p_workspace_id text,
  p_limit integer,
  p_per_channel integer,
  p_now timestamptz
)
  returns table (
    channel_id text, lane outrider.lane, open boolean, resting bigint, has_missed_slots boolean, has_come_due boolean
  )
  language plpgsql
  volatile
as $$
declare
  v_ready constant record := outrider.ready_channels(p_workspace_id, p_limit, p_now);
  v_channels constant text[] := v_ready.channels;
  v_groups text[];
  v_has_windows boolean;
begin
  if v_channels = '{}' then
    return;
  end if;

  if v_ready.lacks_row then
    perform outrider.add_missing_groups(p_workspace_id, v_channels, p_now);
  end if;

  select array_agg(locked.key) into v_groups
  from (
    select g.platform || '/' || g.rate_group as key
    from outrider.platform_limits g
    where g.workspace_id = p_workspace_id
      and (g.platform, g.rate_group) in (
        select c.platform, c.rate_group from outrider.channels c
        where c.workspace_id = p_workspace_id and c.channel_id = any (v_channels)
      )
    order by g.platform, g.rate_group
    for no key update
  ) locked;

  select bool_or(locked.window_mode = 'windowed') into v_has_windows
  from (
    select c.window_mode from outrider.channels c
    where c.workspace_id = p_workspace_id and c.channel_id = any (v_channels)
    order by c.channel_id
    for no key update
  ) locked;

  -- Notes when a closed posting window opens, so that no claim asks before then.
  if v_has_windows then
    update outrider.channels c
    set closed_until = outrider.window_opening(c.posting_window, c.timezone, p_now)
    where c.workspace_id = p_workspace_id and c.channel_id = any (v_channels)
      and c.window_mode = 'windowed'
      and coalesce(c.closed_until, '-infinity') <= p_now
      and outrider.window_opening(c.posting_window, c.timezone, p_now) > p_now;
  end if;

  return query
  select
    c.channel_id,
    row(
      c.channel_id, p.ctid, s.room, least(p_per_channel, s.room - r.resting), outrider.slot_step(c.rate_rps),
      case when c.rate_rps > 0 then p.next_allowed_at else p_now end, p.quiet_until,
      case when o.is_late then 0 else r.promised end,
      dense_rank() over (order by g.platform, g.rate_group), g.ctid, outrider.slot_step(g.rate_rps), g.next_allowed_at,
      case when c.rate_rps > 0 and g.outage_since is null
        then (c.settings ->> 'jitter_ms')::integer * interval '1 millisecond' end
    )::outrider.lane,
    o.is_open, r.resting, r.resting > 0 and (o.is_late or not o.is_open), v_ready.has_come_due
  from outrider.channels c
  join outrider.channel_pace p on p.workspace_id = c.workspace_id and p.channel_id = c.channel_id
  join outrider.platform_limits g
    on g.workspace_id = c.workspace_id and g.platform = c.platform and g.rate_group = c.rate_group
  cross join lateral (
    select case when g.outage_since is null then c.max_parallel else 1 end - coalesce(sum(l.open_count), 0) as room
    from outrider.leases l
    where l.workspace_id = p_workspace_id and l.channel_id = c.channel_id
  ) s
  cross join lateral (
    select count(*) as resting, count(*) filter (where q.weight > 0) as promised, min(q.available_at) as first_slot
    from outrider.delivery_queue q
    where q.workspace_id = p_workspace_id and q.channel_id = c.channel_id and q.claimed and q.available_at > '-infinity'
  ) r
  cross join lateral (
    select
      c.enabled and outrider.channel_opens_at(c) <= p_now and outrider.group_opens_at(g) <= p_now
        and (g.outage_since is null or c.channel_id = outrider.probe_of(g, p_now)) as is_open,
      coalesce(r.first_slot < greatest(outrider.channel_opens_at(c), outrider.group_opens_at(g)), false) as is_late
  ) o
  where c.workspace_id = p_workspace_id and c.channel_id = any (v_channels)
    and c.platform || '/' || c.rate_group = any (v_groups)
  order by c.channel_id;
end;
$$;
