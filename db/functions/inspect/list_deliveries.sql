-- Deliveries of a workspace, newest first: all, or those of a state, a channel, a message.
--
-- Paging: p_before is the last delivery of the page before. New deliveries do not shift the pages that follow;
-- one that changes its state meanwhile may be missed or seen twice. Failed and dead ones are in the order of their
-- failures, the latest first.
-- However long the history and the backlog, a call looks at some ten thousands of deliveries at most; what is of a
-- state and lies behind so many of others is not found (newest_of_channels and its neighbours say how far each looks).
-- Raises: OR001, OR002 for a channel or a p_before that is not there, OR003.
create or replace function outrider.list_deliveries(
  p_workspace_id text,
  p_status outrider.delivery_status default null,
  p_channel_id text default null,
  p_message_id uuid default null,
  p_limit integer default 50,
  p_before uuid default null
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
  v_before bigint := 9223372036854775807;
  v_failed_before timestamptz := timestamptz 'infinity';
  v_channels text[];
  v_ids uuid[];
begin
  perform outrider.require_workspace('list_deliveries', p_workspace_id);
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception using errcode = 'OR001',
      message = format('list_deliveries: limit is %s; 1 to 1000 are allowed', coalesce(p_limit::text, 'missing'));
  end if;
  if p_before is not null then
    perform outrider.require_delivery('list_deliveries', p_workspace_id, p_before);
    select d.seq, d.failed_at into v_before, v_failed_before
    from (select x.* from outrider.deliveries x where x.delivery_id = p_before offset 0) d
    where d.workspace_id = p_workspace_id;
    if p_status in ('failed_permanent', 'dead') and p_message_id is null and v_failed_before is null then
      raise exception using errcode = 'OR001',
        message = format('list_deliveries: before is %s, which has not failed; start from the top', p_before);
    end if;
  end if;
  if p_channel_id is not null then
    perform outrider.require_text('list_deliveries', 'channel_id', p_channel_id, 128);
    if not exists (
      select from outrider.channels c where c.workspace_id = p_workspace_id and c.channel_id = p_channel_id
    ) then
      raise exception using errcode = 'OR002',
        message = format('list_deliveries: workspace "%s" has no channel "%s"', p_workspace_id, p_channel_id);
    end if;
  end if;
  v_channels := case when p_channel_id is null then outrider.channels_of(p_workspace_id) else array[p_channel_id] end;

  v_ids := case
    when p_message_id is not null then array(
      select d.delivery_id from outrider.deliveries d
      where d.workspace_id = p_workspace_id and d.message_id = p_message_id and d.seq < v_before
        and (p_channel_id is null or d.channel_id = p_channel_id) and (p_status is null or d.status = p_status)
      order by d.seq desc
      limit p_limit
    )
    when p_status in ('failed_permanent', 'dead')
      then outrider.newest_failed(p_workspace_id, p_channel_id, p_status, v_failed_before, v_before, p_limit)
    when p_status in ('queued', 'retry') then outrider.newest_waiting(p_workspace_id, v_channels, p_status, v_before, p_limit)
    when p_status in ('claimed', 'sending') then outrider.newest_held(p_workspace_id, v_channels, p_status, v_before, p_limit)
    else outrider.newest_of_channels(p_workspace_id, v_channels, p_status, v_before, p_limit)
  end;

  return query
  select
    d.delivery_id, d.message_id, d.channel_id, d.status::text, d.attempt, d.not_before, d.next_retry_at, d.sent_at, d.failed_at,
    d.provider_message_id, d.last_error ->> 'code', d.last_error ->> 'message', d.created_at, d.trace_id,
    left(d.rendered_text, 80)
  from unnest(v_ids) with ordinality as u (id, place)
  cross join lateral (
    -- By the id alone: a plan made while the tables were small might walk the workspace instead.
    select x.* from outrider.deliveries x where x.delivery_id = u.id
    offset 0
  ) d
  where d.workspace_id = p_workspace_id
  order by u.place;
end;
$$;

grant execute on function outrider.list_deliveries to outrider_reader;
