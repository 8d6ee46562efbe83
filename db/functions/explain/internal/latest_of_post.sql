-- The latest 1,000 events of a message outside of any delivery, the newest first.
--
-- Plans: as latest_events: only the index by message has this order.
create or replace function outrider.latest_of_post(p_workspace_id text, p_message_id uuid)
  returns table (action outrider.event_action, channel_id text, ts timestamptz, error jsonb, meta jsonb)
  language plpgsql
  stable
  set enable_sort = off
as $$
#variable_conflict use_column
begin
  return query
  select o.action, o.channel_id, o.ts, o.error, o.meta
  from unnest(array[p_message_id]) as a (id)
  cross join lateral (
    select e.action, e.channel_id, e.ts, e.error, e.meta from outrider.event_log e
    where e.workspace_id = p_workspace_id and e.message_id = a.id and e.delivery_id is null and e.delivery_ids is null
    order by e.message_id desc, e.ts desc
    limit 1000
  ) o;
end;
$$;
