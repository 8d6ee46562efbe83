-- The first unpublished events of an aggregate, in their order.
--
-- Plans: the query asks for the order of the whole index of sequences, which no other index has, and starts at the
-- aggregate. If it asked for the events of one aggregate by age, PostgreSQL would search all waiting events when nearly
-- all of them belong to one aggregate. sequences_of and emit_event ask the same way.
create or replace function outrider.sequence_of(
  p_aggregate_type outrider.aggregate_type_enum,
  p_aggregate_id uuid,
  p_limit bigint
)
  returns table (id uuid, created_at timestamptz)
  language plpgsql
  stable
  rows 1
  set enable_sort = off
  set enable_incremental_sort = off
as $$
begin
  return query
  select x.id, x.created_at
  from (
    select e.aggregate_type, e.aggregate_id, e.created_at, e.id from outrider.outbox_events e
    where (e.aggregate_type, e.aggregate_id, e.created_at)
        > (p_aggregate_type, p_aggregate_id, timestamptz '-infinity')
      and e.published_at is null
    order by e.aggregate_type, e.aggregate_id, e.created_at, e.id
    limit p_limit
  ) x
  where x.aggregate_type = p_aggregate_type and x.aggregate_id = p_aggregate_id;
end;
$$;
