create or replace function outrider.list_outbox_events(
  p_failed boolean default false,
  p_event_type outrider.event_type_enum default null,
  p_limit integer default 50,
  p_before uuid default null
)
  returns table (
    event_id uuid,
    event_type text,
    aggregate_type text,
    aggregate_id uuid,
    created_at timestamptz,
    attempt_count integer,
    last_error text,
    failed_at timestamptz,
    not_before timestamptz,
    given_up text
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
  v_ids uuid[];
begin
  perform outrider.require_count('list_outbox_events', p_limit, 1000);
  perform outrider.require_flag('list_outbox_events', 'failed', p_failed);
  if p_before is not null and not exists (select from outrider.outbox_events e where e.id = p_before) then
    raise exception using errcode = 'OR002', message = format('list_outbox_events: there is no event %s', p_before);
  end if;

  v_ids := case
    when p_failed then outrider.latest_failed_events(p_event_type, p_limit, p_before)
    else outrider.newest_unpublished_events(p_event_type, p_limit, p_before)
  end;
  return query
  select
    e.id, e.event_type::text, e.aggregate_type::text, e.aggregate_id, e.created_at, e.attempt_count, e.last_error,
    b.failed_at, case when b.not_before < 'infinity' then b.not_before end, b.given_up
  from unnest(v_ids) with ordinality as u (id, place)
  cross join lateral (
    select x.* from outrider.outbox_events x
    where x.id = u.id
    offset 0 -- by its key, one by one
  ) e
  left join outrider.outbox_backoff b on b.event_id = e.id
  order by u.place;
end;
$$;

comment on function outrider.list_outbox_events is $doc$Lists events that are not published: with p_failed those that failed, the latest failure first; otherwise all of them,
the newest first.

given_up says why an event is not tried again (`refused` or `attempts`); it is null while the event is still tried.
Payloads are not listed: they belong to the application. With p_event_type only the latest 20,000 events are searched.
Paging: p_before is the last event of the previous page.
Raises: OR001, OR002 when the event p_before does not exist.$doc$;

grant execute on function outrider.list_outbox_events to outrider_publisher;
