-- Locks channels that get another target or are deleted. Such a lock waits for every enqueue that has just made
-- deliveries for the channel, and that enqueue may need another of these channels next.
--
-- Concurrency: it therefore holds none of the channels while it waits for another. If all of them are free, it locks
-- them at once. Otherwise it waits for each of them by itself, releases it, and tries all of them again.
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
