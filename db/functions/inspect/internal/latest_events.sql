-- The latest events of a workspace within a span of time, p_reach at most: the errors; those of some actions, as many of
-- each; or all. If an action is among them that every delivery has (enqueue, send_attempt, sent), it is all, and the caller
-- filters.
--
-- Plans: the conditions of the partial indexes stand in the text, so that PostgreSQL sees that the indexes fit.
create or replace function outrider.latest_events(
  p_workspace_id text,
  p_actions outrider.event_action[],
  p_result outrider.event_result,
  p_within tstzrange,
  p_reach integer
)
  returns setof outrider.event
  language plpgsql
  stable
  set enable_sort = off -- in the order of the index, as far as the page reaches
as $$
declare
  v_from constant timestamptz := coalesce(lower(p_within), '-infinity');
  v_to constant timestamptz := coalesce(upper(p_within), 'infinity');
begin
  if p_result = 'error' then
    return query
    select e.* from outrider.events e
    where e.workspace_id = p_workspace_id and e.ts >= v_from and e.ts < v_to and e.result = 'error'
    order by e.ts desc
    limit p_reach;
  elsif p_actions && '{enqueue,send_attempt,sent}' or p_actions is null then
    return query
    select e.* from outrider.events e
    where e.workspace_id = p_workspace_id and e.ts >= v_from and e.ts < v_to
    order by e.ts desc
    limit p_reach;
  else
    return query
    select o.*
    from unnest(p_actions) as a (action)
    cross join lateral (
      select e.* from outrider.events e
      where e.workspace_id = p_workspace_id and e.action = a.action and e.ts >= v_from and e.ts < v_to
        and e.action not in ('enqueue', 'send_attempt', 'sent')
      order by e.action desc, e.ts desc -- only the index by action has this order
      limit p_reach
    ) o;
  end if;
end;
$$;
