-- The delivery by which a channel has a message: the one that was accepted last or, where none was, the one that was
-- suppressed last. All nulls when there is none.
--
-- Plans: without sorting, only the unique key by message has this order.
create or replace function outrider.latest_delivery(p_workspace_id text, p_message_id uuid, p_channel_id text)
  returns outrider.deliveries
  language plpgsql
  stable
  set enable_sort = off
as $$
declare
  v_delivery outrider.deliveries;
begin
  select d.* into v_delivery from outrider.deliveries d
  where d.workspace_id = p_workspace_id and d.message_id = p_message_id and d.channel_id = p_channel_id
    and d.occurrence is not null
  order by d.occurrence desc
  limit 1;
  if not found then
    v_delivery := outrider.latest_suppressed(p_workspace_id, p_message_id, p_channel_id);
  end if;
  return v_delivery;
end;
$$;
