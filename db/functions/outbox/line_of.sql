-- The first events of an aggregate that are not published, in their order.
create or replace function outrider.line_of(
  p_aggregate_type outrider.aggregate_type_enum,
  p_aggregate_id uuid,
  p_limit bigint
)
  returns table (id uuid, created_at timestamptz)
  language plpgsql
  stable
  rows 1
  set search_path = outrider, pg_temp
  set enable_sort = off -- the index of lines has that order, and no plan can then pass it over
as $$
begin
  return query
  select e.id, e.created_at from outrider.outbox_events e
  where e.aggregate_type = p_aggregate_type and e.aggregate_id = p_aggregate_id and e.published_at is null
  order by e.created_at, e.id
  limit p_limit;
end;
$$;
