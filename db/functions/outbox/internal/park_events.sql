-- Parks untried events of sequences whose head is in backoff or given up: a fetch in order does not read them again
-- until the head is published.
--
-- Concurrency: the head is locked while its followers are parked, so that nobody takes it meanwhile. When it is
-- published later, its followers are released. Without the lock, a follower that is parked at the moment of publication
-- would wait for ever.
create or replace function outrider.park_events(p_ids uuid[], p_max_attempts integer, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_ids uuid[];
  v_heads uuid[];
begin
  if cardinality(p_ids) = 0 then
    return;
  end if;
  v_heads := array(
    select x.id
    from (
      select e.id
      from (
        select distinct l.head_id from outrider.sequences_of(p_ids, p_max_attempts, p_now) l
        where l.stuck_until is not null
        limit cardinality(p_ids)
      ) h
      join outrider.outbox_events e on e.id = h.head_id
      where num_nulls(e.published_at) = 1 and e.attempt_count > 0
      for key share of e skip locked
    ) x
  );
  v_ids := array(select l.id from outrider.lock_untried(p_ids) as l (id));
  select coalesce(array_agg(l.id), '{}'), coalesce(array_agg(l.head_id), '{}') into v_ids, v_heads
  from outrider.sequences_of(v_ids, p_max_attempts, p_now) l
  where l.stuck_until is not null and l.head_id = any (v_heads);

  insert into outrider.outbox_parked (aggregate_type, aggregate_id, created_at, event_id)
  select e.aggregate_type, e.aggregate_id, e.created_at, e.id
  from (select u.id from unnest(v_ids) as u (id) limit cardinality(v_ids)) u
  join outrider.outbox_events e on e.id = u.id;
  update outrider.outbox_events e
  set last_error = format('waits for the earlier event %s of its aggregate', u.head_id)
  from (select u.id, u.head_id from unnest(v_ids, v_heads) as u (id, head_id) limit cardinality(v_ids)) u
  where e.id = u.id;
end;
$$;
