-- Locks events that failed before and may be tried again; skips those that others have locked. In the order `aggregate`
-- only the head of a sequence may be tried; the others are deferred (park_followers).
--
-- p_except: the events that this call has locked already.
-- Returns: the ids of the locked events.
create or replace function outrider.take_due(
  p_limit integer,
  p_max_attempts integer,
  p_order outrider.publish_order,
  p_except uuid[],
  p_now timestamptz
)
  returns uuid[]
  language plpgsql
  volatile
as $$
declare
  v_ids uuid[];
  v_attempts integer[];
begin
  -- Reads more than p_limit, because other publishers may have locked some of them.
  select coalesce(array_agg(d.event_id), '{}'), coalesce(array_agg(d.attempt_count), '{}') into v_ids, v_attempts
  from outrider.due_events(50 + 4 * p_limit + cardinality(p_except), p_max_attempts, p_now) d
  where d.event_id <> all (p_except);
  if p_order = 'aggregate' then
    v_ids := outrider.park_followers(v_ids, p_max_attempts, p_now);
  end if;
  return array(
    select x.id
    from (
      select e.id
      from (
        select u.id, u.attempts, u.place from unnest(v_ids, v_attempts) with ordinality as u (id, attempts, place)
        order by u.place
        limit cardinality(v_ids)
      ) u
      join outrider.outbox_events e on e.id = u.id
      -- The attempts are compared with the locked row: another publisher may have tried the event, and failed, since
      -- they were read.
      where num_nulls(e.published_at) = 1 and e.attempt_count = u.attempts
      order by u.place
      limit p_limit
      for update of e skip locked
    ) x
  );
end;
$$;
