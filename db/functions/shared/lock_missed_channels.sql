-- Locks the channels in which deliveries rest whose slot has passed.
--
-- Concurrency: locks them in order. Passes over a channel that is locked: it is being claimed from, and that claim takes up
-- its slots.
-- Returns: their ids, in order.
create or replace function outrider.lock_missed_channels(p_workspace_id text, p_now timestamptz)
  returns text[]
  language plpgsql
  volatile
as $$
begin
  -- The function is volatile because it locks rows, which the checker does not see:
  -- @plpgsql_check_options: performance_warnings = false
  return array(
    select c.channel_id from outrider.channels c
    where c.workspace_id = p_workspace_id
      and c.channel_id in (
        select q.channel_id from outrider.delivery_queue q
        where q.workspace_id = p_workspace_id and q.claimed
          and q.available_at > '-infinity' and q.available_at <= p_now
      )
    order by c.channel_id
    for no key update skip locked
  );
end;
$$;
