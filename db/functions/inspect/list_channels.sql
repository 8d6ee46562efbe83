create or replace function outrider.list_channels(
  p_workspace_id text,
  p_channel_ids text[] default null,
  p_platform text default null,
  p_auth_ref text default null,
  p_rate_group text default null,
  p_state text default null,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    channel_id text,
    platform text,
    title text,
    target_id text,
    auth_ref text,
    rate_group text,
    enabled boolean,
    state text,
    state_until timestamptz,
    state_reason text,
    gates jsonb,
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
#variable_conflict use_column
declare
  v_states constant text[] := array[
    'credential_refused', 'disabled', 'paused', 'resting', 'probing', 'cooling_down', 'closed', 'open'];
  v_ids text[];
begin
  perform outrider.require_workspace('list_channels', p_workspace_id);
  v_ids := outrider.channels_named('list_channels', p_workspace_id, p_channel_ids, p_now);
  perform outrider.require_text('list_channels', f.name, f.value, 128)
  from (values ('platform', p_platform), ('auth_ref', p_auth_ref), ('rate_group', p_rate_group)) as f (name, value)
  where f.value is not null;
  if p_state <> all (v_states) then
    raise exception using errcode = 'OR001', message = format('list_channels: state %s is not known; there are %s',
      outrider.excerpt(p_state), array_to_string(v_states, ', '));
  end if;

  return query
  select
    c.channel_id, c.platform, c.title, c.target_id, a.auth_ref, c.rate_group, c.enabled, g.states[1], g.until, g.reason,
    g.gates, w.count::integer, s.count::integer, outrider.last_sent_at(c.workspace_id, c.channel_id),
    c.error_streak, c.rate_rps::double precision, c.max_parallel
  from outrider.channels c
  left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
  cross join lateral (select coalesce(r.auth_ref, c.auth_ref) as auth_ref) a
  left join outrider.platform_limits l
    on l.workspace_id = c.workspace_id and l.platform = c.platform and l.rate_group = c.rate_group
  cross join lateral (
    select
      coalesce(array_agg(x.state order by x.place), '{open}') as states,
      (array_agg(x.until order by x.place))[1] as until,
      (array_agg(x.reason order by x.place))[1] as reason,
      coalesce(jsonb_agg(jsonb_build_object(
        'state', x.state, 'until', x.until, 'of_group', x.of_group, 'reason', x.reason) order by x.place), '[]') as gates
    from outrider.channel_gates(c, l, p_now) x
  ) g
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
  where c.workspace_id = p_workspace_id and (p_channel_ids is null or c.channel_id = any (v_ids))
    and (p_platform is null or c.platform = p_platform) and (p_auth_ref is null or a.auth_ref = p_auth_ref)
    and (p_rate_group is null or c.rate_group = p_rate_group) and (p_state is null or p_state = any (g.states))
  order by array_position(v_states, g.states[1]), c.error_streak desc, c.channel_id;
end;
$$;

comment on function outrider.list_channels is $doc$The channels of a workspace: where each posts, whether it sends now and if not why, how many deliveries wait and how
many are being sent. All channels, or those of some ids (in which * stands for any characters and ? for one), of a
platform, a credential, a rate group or a state.

p_state finds every channel in that state, even when the channel is in another state too: a channel that is paused and
outside its posting window is found by either.
A backlog costs nothing: `waiting` stops counting at 10,000.
Returns: one row for each channel, those that do not send first, the worst state first; within a state the longest error
streak first. `state` is open, or the state of the gate that opens last, with its `state_until` and `state_reason`.
`gates` has everything that keeps the channel from sending, that gate first: [{state, until, of_group, reason}]. A state
is paused, cooling_down, resting, probing, closed (outside the posting window), credential_refused or disabled. `until`
is null when only a person or a probe can change the state. `last_sent_at` comes from a short search: it is null when
none of the deliveries that it reads was sent.
Raises: OR001, OR002 when an id without * and ? names no channel, OR003.$doc$;

grant execute on function outrider.list_channels to outrider_reader;
