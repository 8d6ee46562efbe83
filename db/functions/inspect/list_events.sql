create or replace function outrider.list_events(
  p_workspace_id text,
  p_delivery_id uuid default null,
  p_message_id uuid default null,
  p_channel_ids text[] default null,
  p_actions outrider.event_action[] default null,
  p_result outrider.event_result default null,
  p_since timestamptz default null,
  p_until timestamptz default null,
  p_limit integer default 50,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    id uuid,
    ts timestamptz,
    action text,
    result text,
    channel_id text,
    delivery_id uuid,
    message_id uuid,
    attempt integer,
    error jsonb,
    meta jsonb,
    payload_ref text
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
  v_within tstzrange;
  v_channels text[];
  v_way text;
  v_reach integer;
begin
  perform outrider.require_workspace('list_events', p_workspace_id);
  v_channels := outrider.channels_named('list_events', p_workspace_id, p_channel_ids, p_now);
  v_within := outrider.require_listing('list_events', null, p_since, p_until, p_limit);
  if p_delivery_id is not null then
    perform outrider.require_delivery('list_events', p_workspace_id, p_delivery_id);
  end if;
  if array_ndims(p_actions) <> 1 or cardinality(p_actions) = 0 or array_position(p_actions, null) is not null then
    raise exception using errcode = 'OR001', message = 'list_events: actions must hold one action or more';
  end if;

  v_way := case
    when p_delivery_id is not null then 'delivery'
    when p_message_id is not null then 'message'
    when p_channel_ids is null or p_result = 'error' or not p_actions && '{enqueue,send_attempt,sent}' then 'time'
    else 'channel'
  end;
  v_reach := case
    when p_channel_ids is null and p_actions is null and p_result is distinct from 'ok' then p_limit else 20000 end;

  return query
  select
    e.id, e.ts, e.action::text, e.result::text, e.channel_id, e.delivery_id, e.message_id, e.attempt, e.error, e.meta, e.payload_ref
  from (
    select d.* from outrider.events_of_deliveries(p_workspace_id, array[p_delivery_id]) d where v_way = 'delivery'
    union all
    select m.* from outrider.events_of_message(p_workspace_id, p_message_id) m where v_way = 'message'
    union all
    select c.* from outrider.events_of_channels(p_workspace_id, v_channels, v_within, p_limit) c where v_way = 'channel'
    union all
    select t.* from outrider.latest_events(p_workspace_id, p_actions, p_result, v_within, v_reach) t where v_way = 'time'
  ) e
  where e.ts <@ v_within
    and (p_message_id is null or e.message_id = p_message_id)
    and (p_channel_ids is null or e.channel_id = any (v_channels))
    and (p_actions is null or e.action = any (p_actions))
    and (p_result is null or e.result = p_result)
  order by e.ts desc, e.attempt desc, (e.action = 'dead_letter') desc, e.action desc, e.id
  limit p_limit;
end;
$$;

comment on function outrider.list_events is $doc$What happened in a workspace, the latest first: all of it, or what is of a delivery, a message, some channels (ids, in
which * stands for any characters and ? for one), some actions, a result, a span of time.

However long the record is, a call reads at most some tens of thousands of events. With several filters it looks among the latest
20,000 errors, events of an action, or events of the workspace. Events of a channel are the channel's own, and those of its
200 newest deliveries, the 200 that were sent last and the 200 that failed last.
Returns: `error` as deliveries.last_error has it; `meta` says who and why, where somebody ordered it.
Raises: OR001, OR002 for a delivery or a channel that is not there (an id with * or ? may mean none), OR003.$doc$;

grant execute on function outrider.list_events to outrider_reader;
