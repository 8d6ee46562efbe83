-- Locks untried events; skips those that others have locked or that are no longer untried.
--
-- Plans: here, and wherever events are looked up by their ids, num_nulls tests whether an event waits. With `is null`
-- PostgreSQL might search the index of all waiting events instead of the ids, which looks cheap while that index is
-- empty.
-- Returns: the ids of those locked.
create or replace function outrider.lock_untried(p_ids uuid[])
  returns setof uuid
  language plpgsql
  volatile
as $$
begin
  return query
  select e.id from (select u.id from unnest(p_ids) as u (id) limit cardinality(p_ids)) u
  join outrider.outbox_events e on e.id = u.id
  where num_nulls(e.published_at, e.last_error) = 2
  for update of e skip locked;
end;
$$;
