create or replace function outrider.skip_outbox_events(
  p_event_ids uuid[],
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_max_attempts integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (event_id uuid, skipped boolean, note text)
  language plpgsql
  volatile
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
  v_locked uuid[];
  v_skipped uuid[];
begin
  perform outrider.require_list('skip_outbox_events', 'event_ids', p_event_ids, p_now);
  perform outrider.require_outbox_act('skip_outbox_events', p_dry_run, p_operator, p_reason, p_max_attempts, p_now);

  v_locked := array(select l.id from outrider.lock_failed_events(p_event_ids) as l (id));

  for event_id, note in
    select u.id, outrider.skip_fault(u.id, u.id = any (v_locked), p_max_attempts)
    from (select distinct u.id from unnest(p_event_ids) as u (id)) u
    order by u.id
  loop
    skipped := note is null;
    if skipped then
      v_skipped := v_skipped || event_id;
    end if;
    return next;
  end loop;
  if p_dry_run or v_skipped is null then
    return;
  end if;

  update outrider.outbox_events e
  set published_at = p_now,
      last_error = left(outrider.mask_text(format('passed over by %s: %s', p_operator, p_reason)), 1000)
  from (select u.id from unnest(v_skipped) as u (id) limit cardinality(v_skipped)) u
  where e.id = u.id;
  insert into outrider.outbox_skips (skip_id, skipped_at, operator, reason, event_ids)
  values (gen_random_uuid(), p_now, outrider.mask_text(p_operator), outrider.mask_text(p_reason), v_skipped);
  perform pg_notify('outrider_outbox', '');
end;
$$;

comment on function outrider.skip_outbox_events is $doc$Passes over events that were given up, on an operator's order: they are never published, and the later events of their
aggregate no longer wait for them. published_at is then the time of this call, and last_error says who did it and why.

p_event_ids: the events, at most 10000.
p_dry_run: only says what it would do.
Refused, each with its reason: an event that is published, is still tried, is being published now, or does not exist.
Concurrency: never waits; locks events in the order of their ids.
Returns: one row for each event.
Raises: OR001.$doc$;

grant execute on function outrider.skip_outbox_events to outrider_service;
