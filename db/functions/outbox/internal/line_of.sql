-- The first events of an aggregate that are not published, in their order.
--
-- Plans: asked for in the order of the whole index of lines, which no other index has, from the aggregate's beginning on.
-- Asked for as the events of one aggregate by age, where nearly all that waits is of one aggregate, they would be looked
-- for among all that waits. lines_of and emit_event do it so, too.
create or replace function outrider.line_of(
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
