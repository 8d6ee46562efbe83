-- What happened to a message: its own events, and those of its deliveries.
create or replace function outrider.events_of_message(p_workspace_id text, p_message_id uuid)
  returns setof outrider.event
  language plpgsql
  stable
as $$
begin
  return query
  select
    e.workspace_id, e.id, e.delivery_id, e.message_id, e.channel_id, e.ts, e.action, e.attempt, e.result, e.error, e.payload_ref, e.meta
  from outrider.event_log e
  where e.workspace_id = p_workspace_id and e.message_id = p_message_id and e.delivery_id is null and e.delivery_ids is null
  order by e.ts desc
  limit 10000;

  return query
  select e.* from outrider.events_of_deliveries(p_workspace_id, array(
    select d.delivery_id from outrider.deliveries d
    where d.workspace_id = p_workspace_id and d.message_id = p_message_id
    order by d.seq desc
    limit 1000
  )) e;
end;
$$;
