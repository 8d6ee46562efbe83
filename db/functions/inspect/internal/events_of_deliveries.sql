-- The events of some deliveries.
--
-- Plans: as timeline.
create or replace function outrider.events_of_deliveries(p_workspace_id text, p_ids uuid[])
  returns setof outrider.event
  language plpgsql
  stable
  set enable_bitmapscan = on
  set enable_indexscan = off
as $$
begin
  return query
  select e.*
  from (select distinct x.id from unnest(p_ids) as x (id)) u
  cross join lateral (
    select y.* from outrider.events y where y.delivery_id = u.id
    offset 0 -- by the id alone, see next_steps
  ) e
  where e.workspace_id = p_workspace_id;
end;
$$;
