-- What happened to a delivery, oldest first: at most its latest 500 events.
--
-- Events of one instant are in the order of attempts and then of their nature: what ends a delivery comes last.
create or replace function outrider.timeline(p_delivery outrider.deliveries)
  returns json
  language plpgsql
  stable
  set search_path = outrider, pg_temp
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'ts', x.ts, 'action', x.action, 'attempt', x.attempt, 'result', x.result, 'error', x.error, 'meta', x.meta - 'trace_id'
    ) order by x.ts, x.attempt, x.action = 'dead_letter', x.action), '[]')
    from (
      select e.*
      from (
        select y.* from outrider.events y
        where y.delivery_id = p_delivery.delivery_id and y.ts >= p_delivery.created_at -- not the days before it
        offset 0 -- by the id alone, see next_steps
      ) e
      where e.workspace_id = p_delivery.workspace_id
      order by e.ts desc, e.attempt desc, (e.action = 'dead_letter') desc, e.action desc
      limit 500
    ) x
  );
end;
$$;
