create or replace function outrider.release_event(
  p_consumer text,
  p_event_id uuid,
  p_owner uuid,
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
declare
  v_until timestamptz;
begin
  perform outrider.require_processing('release_event', p_consumer, p_event_id);
  if p_owner is null then
    raise exception using errcode = 'OR001', message = 'release_event: owner is missing';
  end if;
  perform outrider.require_time('release_event', p_now);

  delete from outrider.processed_events e
  where e.consumer = p_consumer and e.event_id = p_event_id and e.state = 'leased' and e.owner = p_owner
  returning e.lease_until into v_until;
  return coalesce(v_until > p_now, false);
end;
$$;

comment on function outrider.release_event is $doc$Gives an event back unprocessed, after its handler has failed. When the broker delivers the event again, it can be
processed at once.

Returns: whether this owner held the lease until now.
Raises: OR001.$doc$;

grant execute on function outrider.release_event to outrider_consumer;
