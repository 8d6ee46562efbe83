-- Locks the events of p_ids that have failed and are not published, for an operator's order.
--
-- Concurrency: never waits; locks events in the order of their ids, and skips those that others have locked.
-- Returns: the ids of those locked.
create or replace function outrider.lock_failed_events(p_ids uuid[])
  returns setof uuid
  language plpgsql
  volatile
as $$
begin
  return query
  select e.id from (select distinct u.id from unnest(p_ids) as u (id) order by u.id limit cardinality(p_ids)) d
  join outrider.outbox_events e on e.id = d.id
  where num_nulls(e.published_at) = 1 and e.attempt_count > 0
  order by e.id
  for update of e skip locked;
end;
$$;
