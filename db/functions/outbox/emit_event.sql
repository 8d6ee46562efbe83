create or replace function outrider.emit_event(
  p_event_type outrider.event_type_enum,
  p_aggregate_type outrider.aggregate_type_enum,
  p_aggregate_id uuid,
  p_data jsonb,
  p_actor jsonb default null,
  p_version integer default 1,
  p_occurred_at timestamptz default null,
  p_event_id uuid default null
)
  returns uuid
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
  set enable_incremental_sort = off
as $$
declare
  v_last timestamptz;
  v_now timestamptz;
  v_id uuid;
begin
  perform outrider.require_event(
    p_event_type, p_aggregate_type, p_aggregate_id, p_data, p_actor, p_version, p_occurred_at, p_event_id);

  select x.created_at into v_last
  from (
    select e.aggregate_type, e.aggregate_id, e.created_at from outrider.outbox_events e
    where (e.aggregate_type, e.aggregate_id, e.created_at) < (p_aggregate_type, p_aggregate_id, timestamptz 'infinity')
      and e.published_at is null
    order by e.aggregate_type desc, e.aggregate_id desc, e.created_at desc, e.id desc
    limit 1
  ) x
  where x.aggregate_type = p_aggregate_type and x.aggregate_id = p_aggregate_id;
  v_now := greatest(clock_timestamp(), v_last + interval '1 microsecond');
  v_id := coalesce(p_event_id, (outrider.id_prefix(v_now) || left(gen_random_uuid()::text, 8))::uuid);

  insert into outrider.outbox_events (id, event_type, aggregate_type, aggregate_id, payload_json, created_at)
  values (
    v_id, p_event_type, p_aggregate_type, p_aggregate_id,
    jsonb_build_object(
      'version', p_version, 'eventId', v_id, 'occurredAt', outrider.iso_time(coalesce(p_occurred_at, v_now)), 'data', p_data
    ) || case when p_actor is null then '{}' else jsonb_build_object('actor', p_actor) end,
    v_now
  )
  on conflict (id) do nothing;
  if not found then
    raise exception using errcode = 'OR001',
      message = format('emit_event: event_id %s was emitted before', v_id),
      hint = 'Every event has an id of its own; leave it out to get a new one.';
  end if;

  if coalesce(current_setting('outrider.outbox_notify', true), '') <> 'off' then
    perform pg_notify('outrider_outbox', ''); -- no payload: anybody who is logged in can listen
  end if;
  return v_id;
end;
$$;

comment on function outrider.emit_event is $doc$Writes a domain event into the outbox, within the caller's transaction: it exists when that commits, and not before.

created_at is the time of the call, not of the transaction's start. It is later than created_at of every unpublished
event of the same aggregate, even when the clock was set back. So a program that locks an aggregate before it writes
events has these events in the order of its locks.
Publishers are notified at commit. PostgreSQL commits transactions with a notification one after the other. Where that
is too slow, `set outrider.outbox_notify = off` leaves it out; publishers then find the event when they next look.
Returns: the event's id, by which consumers know it.
Raises: OR001, also for an id that was emitted before.$doc$;

grant execute on function outrider.emit_event to outrider_emitter;
