-- The latest event of an action that an operator's order left on a delivery; nulls when there is none.
create or replace function outrider.latest_order(
  p_delivery outrider.deliveries,
  p_action outrider.event_action,
  out ts timestamptz,
  out meta jsonb
)
  language plpgsql
  stable
as $$
begin
  select x.ts, x.meta into ts, meta
  from (
    select e.ts, e.meta, e.action, e.workspace_id from outrider.event_log e
    where e.delivery_id = p_delivery.delivery_id
    offset 0 -- by the id alone, see next_steps
  ) x
  where x.workspace_id = p_delivery.workspace_id and x.action = p_action
  order by x.ts desc
  limit 1;
end;
$$;
