create or replace function outrider.claim_event(
  p_consumer text,
  p_event_id uuid,
  p_owner uuid,
  p_lease_ms integer,
  p_now timestamptz default clock_timestamp()
)
  returns text
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
declare
  v_until constant timestamptz := p_now + p_lease_ms * interval '1 millisecond';
  v_state outrider.processing_state;
begin
  perform outrider.require_processing('claim_event', p_consumer, p_event_id);
  perform outrider.require_lease('claim_event', p_owner, p_lease_ms);
  perform outrider.require_time('claim_event', p_now);

  insert into outrider.processed_events as e (consumer, event_id, state, owner, lease_until, expires_at)
  values (p_consumer, p_event_id, 'leased', p_owner, v_until, p_now + interval '7 days')
  on conflict (consumer, event_id) do update
  set state = excluded.state, owner = excluded.owner, lease_until = excluded.lease_until, expires_at = excluded.expires_at
  where coalesce(e.lease_until, e.expires_at) <= p_now or (e.state = 'leased' and e.owner = p_owner);
  if found then
    return 'claimed';
  end if;

  select e.state into v_state from outrider.processed_events e
  where e.consumer = p_consumer and e.event_id = p_event_id;
  -- No row: the event was given back meanwhile. The next caller gets it.
  return case v_state when 'processed' then 'processed' else 'busy' end;
end;
$$;

comment on function outrider.claim_event is $doc$Takes a lease of an event, so that one process of a consumer applies its effect. A second call with the same owner
starts the lease anew; a caller needs that when an answer was lost.

Concurrency: of many calls at once, one gets the event. A call waits for an open transaction that has marked the event,
half a second at most; then 55P03 is raised, which means busy.
Returns: claimed, processed (the event is marked), or busy (another process holds it).
Raises: OR001.$doc$;

grant execute on function outrider.claim_event to outrider_consumer;
