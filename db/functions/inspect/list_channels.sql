-- The channels of a workspace: where each posts, whether it sends now, what waits and what is being sent.
--
-- A backlog costs nothing: `waiting` stops counting at 10,000.
-- Returns: one row for each channel, by channel_id; see channel_gate for `state`, `state_until` and `state_reason`,
-- last_sent_at for how far `last_sent_at` looks.
-- Raises: OR001, OR002, OR003.
create or replace function outrider.list_channels(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    channel_id text,
    platform text,
    title text,
    target_id text,
    rate_group text,
    enabled boolean,
    state text,
    state_until timestamptz,
    state_reason text,
    waiting integer,
    sending integer,
    last_sent_at timestamptz,
    error_streak integer,
    rate_rps double precision,
    max_parallel integer
  )
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
begin
  perform outrider.require_workspace('list_channels', p_workspace_id);
  perform outrider.require_time('list_channels', p_now);

  return query
  select
    c.channel_id, c.platform, c.title, c.target_id, c.rate_group, c.enabled, g.state, g.until, g.reason,
    w.count::integer, s.count::integer, outrider.last_sent_at(c.workspace_id, c.channel_id),
    c.error_streak, c.rate_rps::double precision, c.max_parallel
  from outrider.channels c
  left join outrider.platform_limits l
    on l.workspace_id = c.workspace_id and l.platform = c.platform and l.rate_group = c.rate_group
  cross join lateral outrider.channel_gate(c, l, p_now) g
  cross join lateral (
    select count(*) as count
    from (
      select from outrider.delivery_queue q
      where q.workspace_id = c.workspace_id and q.channel_id = c.channel_id
      limit 10000
    ) q
  ) w
  cross join lateral (
    select coalesce(sum(h.open_count), 0) as count from outrider.leases h
    where h.workspace_id = c.workspace_id and h.channel_id = c.channel_id
  ) s
  where c.workspace_id = p_workspace_id
  order by c.channel_id;
end;
$$;

grant execute on function outrider.list_channels to outrider_reader;
