-- The delivery of a message that was suppressed last in a channel, of those that are kept; all nulls when there is none. Of
-- more than a thousand it may be an earlier one.
--
-- Plans: without sorting, only the unique key by message has the inner order.
create or replace function outrider.latest_suppressed(p_workspace_id text, p_message_id uuid, p_channel_id text)
  returns outrider.deliveries
  language plpgsql
  stable
  set enable_sort = off
as $$
declare
  v_delivery outrider.deliveries;
begin
  select s.* into v_delivery
  from (
    select d.* from outrider.deliveries d
    where d.workspace_id = p_workspace_id and d.message_id = p_message_id and d.channel_id = p_channel_id
      and d.occurrence is null
    order by d.occurrence
    limit 1000
  ) s
  order by s.seq desc
  limit 1;
  return v_delivery;
end;
$$;
