create or replace function outrider.extend_event(
  p_consumer text,
  p_event_id uuid,
  p_owner uuid,
  p_lease_ms integer,
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
as $$
begin
  perform outrider.require_processing('extend_event', p_consumer, p_event_id);
  perform outrider.require_lease('extend_event', p_owner, p_lease_ms);
  perform outrider.require_time('extend_event', p_now);

  update outrider.processed_events e
  set lease_until = greatest(e.lease_until, p_now + p_lease_ms * interval '1 millisecond')
  where e.consumer = p_consumer and e.event_id = p_event_id
    and e.state = 'leased' and e.owner = p_owner and e.lease_until > p_now;
  return found;
end;
$$;

comment on function outrider.extend_event is $doc$Starts the lease of an event anew while its handler runs. A lease that has ended stays ended: another process may have
held the event since.

Returns: whether the lease is held.
Raises: OR001.$doc$;

grant execute on function outrider.extend_event to outrider_consumer;
