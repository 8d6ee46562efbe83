create or replace function outrider.list_deliveries(
  p_workspace_id text,
  p_statuses outrider.delivery_status[] default null,
  p_channel_ids text[] default null,
  p_message_id uuid default null,
  p_since timestamptz default null,
  p_until timestamptz default null,
  p_limit integer default 50,
  p_before uuid default null,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    delivery_id uuid,
    message_id uuid,
    channel_id text,
    status text,
    attempt integer,
    not_before timestamptz,
    next_retry_at timestamptz,
    sent_at timestamptz,
    failed_at timestamptz,
    provider_message_id text,
    error_code text,
    error_message text,
    next_because text,
    next_at timestamptz,
    next_reason text,
    created_at timestamptz,
    trace_id text,
    text text
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
  v_of_failures constant boolean := coalesce(p_message_id is null and p_statuses <@ '{failed_permanent,dead}', false);
  v_before bigint := 9223372036854775807;
  v_failed_before timestamptz := timestamptz 'infinity';
  v_within tstzrange;
  v_channels text[];
  v_ids uuid[];
begin
  perform outrider.require_workspace('list_deliveries', p_workspace_id);
  v_channels := outrider.channels_named('list_deliveries', p_workspace_id, p_channel_ids, p_now);
  v_within := outrider.require_listing('list_deliveries', p_statuses, p_since, p_until, p_limit);
  if p_before is not null then
    perform outrider.require_delivery('list_deliveries', p_workspace_id, p_before);
    select d.seq, d.failed_at into v_before, v_failed_before
    from (select x.* from outrider.deliveries x where x.delivery_id = p_before offset 0) d
    where d.workspace_id = p_workspace_id;
    if v_of_failures and v_failed_before is null then
      raise exception using errcode = 'OR001',
        message = format('list_deliveries: before is %s, which has not failed; start from the top', p_before);
    end if;
  end if;

  v_ids := case
    when p_message_id is not null then array(
      select d.delivery_id from outrider.deliveries d
      where d.workspace_id = p_workspace_id and d.message_id = p_message_id and d.seq < v_before
        and (p_channel_ids is null or d.channel_id = any (v_channels))
        and (p_statuses is null or d.status = any (p_statuses)) and d.created_at <@ v_within
      order by d.seq desc
      limit p_limit
    )
    when v_of_failures
      then outrider.newest_failed(p_workspace_id, v_channels, p_statuses, v_within, v_failed_before, v_before, p_limit)
    when p_statuses <@ '{queued,retry}'
      then outrider.newest_waiting(p_workspace_id, v_channels, p_statuses, v_within, v_before, p_limit)
    when p_statuses <@ '{claimed,sending}'
      then outrider.newest_held(p_workspace_id, v_channels, p_statuses, v_within, v_before, p_limit)
    else outrider.newest_of_channels(p_workspace_id, v_channels, p_statuses, v_within, v_before, p_limit)
  end;

  return query
  select
    d.delivery_id, d.message_id, d.channel_id, d.status::text, d.attempt, d.not_before, d.next_retry_at, d.sent_at, d.failed_at,
    d.provider_message_id, d.last_error ->> 'code', d.last_error ->> 'message', n.because, n.at, n.reason, d.created_at, d.trace_id,
    left(d.rendered_text, 80)
  from outrider.next_steps(p_workspace_id, v_ids, p_now) with ordinality as n (delivery, because, at, reason, place)
  cross join lateral (select (n.delivery).*) d
  order by n.place;
end;
$$;

comment on function outrider.list_deliveries is $doc$Deliveries of a workspace, newest first, and what each waits for. All deliveries, or those of some states, of some
channels (ids, in which * stands for any characters and ? for one), of a message, of a span of time.

p_since, p_until: the span of time. When only failed and dead deliveries are asked for, it is the time of their failure;
otherwise the time when they were accepted. Failed and dead deliveries are then in the order of their failures, the
latest first.
Paging: p_before is the last delivery of the previous page. New deliveries do not shift the pages that follow; a
delivery that changes its state meanwhile may be missed or seen twice.
However long the history and the backlog, a call reads at most some tens of thousands of deliveries. A delivery is not
found when so many deliveries in other states come before it.
Returns: `next_because` is being_sent (`next_at` is when the lease ends), workspace_paused, workspace_disabled,
channel_paused and its like (the states of list_channels), scheduled, retry, slot, or in_line when the delivery is due;
null when it has ended. `next_at` is null when the wait does not depend on time alone. `next_reason` says why the channel
was stopped.
Raises: OR001, OR002 when p_before, or a channel whose id has no * and ?, does not exist, OR003.$doc$;

grant execute on function outrider.list_deliveries to outrider_reader;
