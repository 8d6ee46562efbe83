-- Releases the parked events of an aggregate, the first thousand: they count as untried again. When more are parked,
-- the last of the thousand keeps its error, so that its publication releases the next ones.
create or replace function outrider.release_parked(p_aggregate_type outrider.aggregate_type_enum, p_aggregate_id uuid)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_ids uuid[];
begin
  v_ids := array(
    select p.event_id from outrider.outbox_parked p
    where p.aggregate_type = p_aggregate_type and p.aggregate_id = p_aggregate_id
    order by p.created_at, p.event_id
    limit 1001
  );
  if cardinality(v_ids) > 1000 then
    delete from outrider.outbox_parked p using outrider.outbox_events e
    where e.id = v_ids[1000] and p.aggregate_type = e.aggregate_type and p.aggregate_id = e.aggregate_id
      and p.created_at = e.created_at and p.event_id = e.id;
    insert into outrider.outbox_backoff (event_id, attempt_count, not_before)
    values (v_ids[1000], 0, '-infinity')
    on conflict (event_id) do nothing;
    v_ids := v_ids[:999];
  end if;
  perform outrider.unpark_events(v_ids);
end;
$$;
