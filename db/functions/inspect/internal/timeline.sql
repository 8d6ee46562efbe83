-- What happened to a delivery, oldest first: its latest 500 events, and the events of the same times that say what its
-- failures meant for its channel and its rate group.
--
-- Events of the same time are in the order of attempts and then of actions; the one that ends a delivery comes last.
-- Plans: outrider.events finds the events of a delivery through several indexes at once, which only a bitmap scan can
-- do. The query has no bound on ts: with one, PostgreSQL might read a whole index of times, which looks just as good
-- while the log is empty.
create or replace function outrider.timeline(p_delivery outrider.deliveries)
  returns json
  language plpgsql
  stable
  set enable_bitmapscan = on
  set enable_indexscan = off
as $$
begin
  return (
    with own as (
      select e.ts, e.action, e.attempt, e.result, e.error,
        case when e.payload_ref is null then e.meta else e.meta || jsonb_build_object('payload_ref', e.payload_ref) end as meta
      from (
        select y.* from outrider.events y
        where y.delivery_id = p_delivery.delivery_id
        offset 0 -- by the id alone, see next_steps
      ) e
      where e.workspace_id = p_delivery.workspace_id
      order by e.ts desc, e.attempt desc, (e.action = 'dead_letter') desc, e.action desc
      limit 500
    ),
    penalties as (
      select p.ts, p.action, (p.meta ->> 'attempt')::integer as attempt, p.result, p.error, p.meta
      from (select distinct o.ts from own o where o.result = 'error') at
      cross join lateral (
        select y.* from outrider.event_log y
        where y.workspace_id = p_delivery.workspace_id and y.channel_id = p_delivery.channel_id and y.ts = at.ts
          and y.delivery_id is null
        offset 0
      ) p
      where p.meta ->> 'delivery_id' = p_delivery.delivery_id::text
    )
    select coalesce(json_agg(json_build_object(
      'ts', x.ts, 'action', x.action, 'attempt', x.attempt, 'result', x.result, 'error', x.error,
      'meta', x.meta - array['trace_id', 'delivery_id', 'attempt']
    ) order by x.ts, x.attempt, x.action = 'dead_letter', x.action), '[]')
    from (select * from own union all select * from penalties) x
  );
end;
$$;
