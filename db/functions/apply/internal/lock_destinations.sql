-- Locks channels that get another target or go. Such a change waits for every enqueue that has just made deliveries
-- for the channel, and such an enqueue may come to another of these channels next.
--
-- Concurrency: so none of them is held while another is waited for: either all are free at once, or each is waited
-- for by itself and let go, and all are tried again.
create or replace function outrider.lock_destinations(p_workspace_id text, p_channels text[])
  returns void
  language plpgsql
  volatile
as $$
declare
  v_id text;
begin
  loop
    begin
      perform from outrider.channels c where c.workspace_id = p_workspace_id and c.channel_id = any (p_channels)
      order by c.channel_id for update nowait;
      return;
    exception
      when lock_not_available then
        null;
    end;
    foreach v_id in array p_channels loop
      begin
        perform from outrider.channels c where c.workspace_id = p_workspace_id and c.channel_id = v_id for update;
        raise exception using errcode = 'OR0LG', message = 'let go';
      exception
        when sqlstate 'OR0LG' then
          null;
      end;
    end loop;
  end loop;
end;
$$;
