-- Locks the oldest events that were never tried; skips those that others have locked.
--
-- Events that a fetch in order has parked are released first: without the order no event waits for another.
-- Returns: the ids of the locked events.
create or replace function outrider.take_untried(p_limit integer)
  returns uuid[]
  language plpgsql
  volatile
as $$
declare
  v_parked uuid[];
begin
  v_parked := array(select p.event_id from outrider.outbox_parked p limit 1000);
  if cardinality(v_parked) > 0 then
    perform outrider.unpark_events(array(
      select x.id
      from (
        select e.id from (select u.id from unnest(v_parked) as u (id) limit cardinality(v_parked)) u
        join outrider.outbox_events e on e.id = u.id
        where num_nulls(e.published_at) = 1
        for update of e skip locked
      ) x
    ));
  end if;

  return array(
    select x.id
    from (
      select e.id from outrider.outbox_events e
      where e.published_at is null and e.last_error is null
      order by e.created_at, e.id
      limit p_limit
      for update skip locked
    ) x
  );
end;
$$;
