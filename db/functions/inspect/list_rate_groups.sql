create or replace function outrider.list_rate_groups(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    platform text,
    rate_group text,
    state text,
    state_since timestamptz,
    state_until timestamptz,
    state_reason text,
    rate_rps double precision,
    auth_refs text[],
    channels integer,
    disabled integer,
    paused integer
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
#variable_conflict use_column
begin
  perform outrider.require_workspace('list_rate_groups', p_workspace_id);
  perform outrider.require_time('list_rate_groups', p_now);

  return query
  with used as (
    select
      c.platform, c.rate_group, array_agg(distinct coalesce(r.auth_ref, c.auth_ref)) as auth_refs, count(*) as channels,
      count(*) filter (where not c.enabled) as disabled, count(*) filter (where c.enabled and c.paused_until > p_now) as paused
    from outrider.channels c
    left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
    where c.workspace_id = p_workspace_id
    group by c.platform, c.rate_group
  ),
  known as (
    select g.platform, g.rate_group from outrider.platform_limits g where g.workspace_id = p_workspace_id
    union
    select u.platform, u.rate_group from used u
  )
  select
    k.platform, k.rate_group, s.state, s.since, s.until, s.reason,
    case when g.platform is null then p.group_rps else g.rate_rps end::double precision,
    coalesce(u.auth_refs, '{}'), coalesce(u.channels, 0)::integer, coalesce(u.disabled, 0)::integer, coalesce(u.paused, 0)::integer
  from known k
  join outrider.platforms p on p.platform = k.platform
  left join used u on u.platform = k.platform and u.rate_group = k.rate_group
  left join outrider.platform_limits g
    on g.workspace_id = p_workspace_id and g.platform = k.platform and g.rate_group = k.rate_group
  cross join lateral outrider.group_state(g, p_now) s
  order by s.state = 'open', k.platform, k.rate_group;
end;
$$;

comment on function outrider.list_rate_groups is $doc$The rate groups of a workspace: whether each sends, and if not since when, until when and why; its limit, the
credentials its channels send with, and how many of them are disabled or paused. A group is known by its channels or by
its limit; one without channels is listed, too.

Returns: one row for each group, those that do not send first. `state` is open; cooling_down, because the platform asked
for it; resting, because the platform is ill; probing, after a rest, while one post at a time tries whether it is well;
or credential_refused.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_rate_groups to outrider_reader;
