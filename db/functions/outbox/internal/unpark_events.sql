-- Lets parked events count as untried again.
create or replace function outrider.unpark_events(p_ids uuid[])
  returns void
  language plpgsql
  volatile
as $$
begin
  update outrider.outbox_events e
  set last_error = null
  from (select u.id from unnest(p_ids) as u (id) limit cardinality(p_ids)) u
  where e.id = u.id and num_nulls(e.published_at) = 1;
end;
$$;
