-- What happened lately in some channels: their own events, and those of their newest deliveries, of the latest that were sent
-- and of the latest that failed, 200 of each.
create or replace function outrider.events_of_channels(p_workspace_id text, p_channels text[], p_within tstzrange, p_limit integer)
  returns setof outrider.event
  language plpgsql
  stable
as $$
declare
  v_always constant tstzrange := tstzrange(null, null);
  v_last constant bigint := 9223372036854775807;
begin
  return query
  select o.*
  from unnest(p_channels) as c (id)
  cross join lateral (
    select
      e.workspace_id, e.id, e.delivery_id, e.message_id, e.channel_id, e.ts, e.action, e.attempt, e.result, e.error, e.payload_ref, e.meta
    from outrider.event_log e
    where e.workspace_id = p_workspace_id and e.channel_id = c.id and e.delivery_id is null
      and e.ts >= coalesce(lower(p_within), '-infinity') and e.ts < coalesce(upper(p_within), 'infinity')
    order by e.ts desc
    limit p_limit
  ) o;

  return query
  select e.* from outrider.events_of_deliveries(p_workspace_id,
    outrider.newest_of_channels(p_workspace_id, p_channels, null, v_always, v_last, 200)
    || outrider.newest_of_channels(p_workspace_id, p_channels, '{sent}', v_always, v_last, 200)
    || outrider.newest_failed(p_workspace_id, p_channels, '{failed_permanent,dead}', v_always, 'infinity', v_last, 200)) e;
end;
$$;
