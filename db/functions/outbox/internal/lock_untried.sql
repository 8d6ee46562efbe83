-- Locks untried events, passing over those that others have locked or that are no longer untried.
--
-- Plans: here and wherever events are looked up by their ids, num_nulls asks whether one waits. `is null` would let an
-- index of all that wait look like a way to find one, as it does while that index is empty.
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
