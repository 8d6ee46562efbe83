create or replace function outrider.confirm_event(
  p_consumer text,
  p_event_id uuid,
  p_owner uuid,
  p_ttl_ms bigint,
  p_now timestamptz default clock_timestamp()
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set lock_timeout = '500ms'
as $$
begin
  perform outrider.require_processing('confirm_event', p_consumer, p_event_id);
  if p_owner is null then
    raise exception using errcode = 'OR001', message = 'confirm_event: owner is missing';
  end if;
  perform outrider.require_ttl('confirm_event', p_ttl_ms);
  perform outrider.require_time('confirm_event', p_now);

  insert into outrider.processed_events as e (consumer, event_id, state, owner, expires_at)
  values (p_consumer, p_event_id, 'processed', p_owner, p_now + p_ttl_ms * interval '1 millisecond')
  on conflict (consumer, event_id) do update
  set state = excluded.state, owner = excluded.owner, lease_until = null, expires_at = excluded.expires_at
  where e.owner = p_owner or coalesce(e.lease_until, e.expires_at) <= p_now;
  return found;
end;
$$;

comment on function outrider.confirm_event is $doc$Marks an event as processed, for the holder of its lease. It also works after the lease has ended, as long as nobody
else holds the event: the effect was applied, and that should be recorded. A second call changes nothing but the time
until which the mark is kept.

Concurrency: as claim_event.
Returns: whether the mark is this owner's. When it is not, another process holds the event or has processed it, and
nothing was changed.
Raises: OR001.$doc$;

grant execute on function outrider.confirm_event to outrider_consumer;
