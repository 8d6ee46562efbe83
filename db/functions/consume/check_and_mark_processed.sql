create or replace function outrider.check_and_mark_processed(
  p_consumer text,
  p_event_id uuid,
  p_ttl_ms bigint default 604800000,
  p_now timestamptz default clock_timestamp()
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
  set lock_timeout = '500ms'
as $$
begin
  perform outrider.require_processing('check_and_mark_processed', p_consumer, p_event_id);
  perform outrider.require_ttl('check_and_mark_processed', p_ttl_ms);
  perform outrider.require_time('check_and_mark_processed', p_now);

  insert into outrider.processed_events as e (consumer, event_id, state, expires_at)
  values (p_consumer, p_event_id, 'processed', p_now + p_ttl_ms * interval '1 millisecond')
  on conflict (consumer, event_id) do update
  set state = excluded.state, owner = null, lease_until = null, expires_at = excluded.expires_at
  where coalesce(e.lease_until, e.expires_at) <= p_now;
  if found then
    return false;
  end if;

  if exists (
    select from outrider.processed_events e
    where e.consumer = p_consumer and e.event_id = p_event_id and e.state = 'processed'
  ) then
    return true;
  end if;
  raise exception using errcode = 'OR005',
    message = format('check_and_mark_processed: event %s is being processed by another process of consumer %s', p_event_id, p_consumer),
    hint = 'Do not acknowledge the event; let the broker deliver it again later.';
end;
$$;

comment on function outrider.check_and_mark_processed is $doc$Marks an event as processed, unless it is marked already. Call it in the transaction of the effect: then both are
committed, or neither is. If you call it on its own, before the effect, a process that dies in between loses the effect.

Concurrency: of many calls at once, one marks the event. A call waits for an open transaction that has marked the
event, half a second at most; then 55P03 is raised, which means busy.
Returns: whether the event was processed before.
Raises: OR001; OR005 while another process holds a lease of the event: neither true nor false would be right.$doc$;

grant execute on function outrider.check_and_mark_processed to outrider_consumer;
