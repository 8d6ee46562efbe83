create or replace function outrider.replay_outbox_events(
  p_event_ids uuid[],
  p_event_type outrider.event_type_enum,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_max_attempts integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (event_id uuid, replayed boolean, note text)
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
  v_ids uuid[] := p_event_ids;
  v_locked uuid[];
begin
  if p_event_ids is not null then
    perform outrider.require_list('replay_outbox_events', 'event_ids', p_event_ids, p_now);
  end if;
  perform outrider.require_outbox_act('replay_outbox_events', p_dry_run, p_operator, p_reason, p_max_attempts, p_now);

  if v_ids is null then
    v_ids := array(select g.event_id from outrider.given_up_events(p_event_type, p_max_attempts, 10000) g);
  end if;
  v_locked := array(select l.id from outrider.lock_failed_events(v_ids) as l (id));

  for event_id, note in
    select u.id, outrider.replay_fault(u.id, u.id = any (v_locked), p_event_type)
    from (select distinct u.id from unnest(v_ids) as u (id)) u
    order by u.id
  loop
    replayed := note is null;
    return next;
  end loop;

  v_locked := array(
    select u.id from unnest(v_locked) as u (id) where outrider.replay_fault(u.id, true, p_event_type) is null);
  if p_dry_run or cardinality(v_locked) = 0 then
    return;
  end if;
  update outrider.outbox_backoff b
  set not_before = p_now, failed_at = null, given_up = null
  from (select u.id from unnest(v_locked) as u (id) limit cardinality(v_locked)) u
  where b.event_id = u.id;
  update outrider.outbox_events e
  set attempt_count = 0
  from (select u.id from unnest(v_locked) as u (id) limit cardinality(v_locked)) u
  where e.id = u.id;
  insert into outrider.outbox_replays (replay_id, replayed_at, operator, reason, event_ids)
  values (gen_random_uuid(), p_now, outrider.mask_text(p_operator), outrider.mask_text(p_reason), v_locked);
  perform pg_notify('outrider_outbox', '');
end;
$$;

comment on function outrider.replay_outbox_events is $doc$Lets publishers try events again, on an operator's order: the events are due at once, and all their attempts are
available again. The error stays in last_error until the next result.

p_event_ids: the events, at most 10000; null: those that were given up (given_up_events), of p_event_type or of all
types, at most 10000.
p_dry_run: only says what it would do.
Refused, each with its reason: an event that is published, has not failed, is being published now, or does not exist.
Concurrency: never waits; locks events in the order of their ids.
Returns: one row for each event.
Raises: OR001.$doc$;

grant execute on function outrider.replay_outbox_events to outrider_service;
