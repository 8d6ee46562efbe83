-- Moves deliveries that wait for a channel's posting window when the window is changed: from the opening that was noted
-- at enqueue to the opening of the new window. A claim checks the window again.
create or replace function outrider.reschedule_waiting()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  update outrider.deliveries d
  set not_before = w.opens
  from outrider.delivery_queue q
  cross join lateral (
    select greatest(x.created_at, x.scheduled_for) as wanted from outrider.deliveries x
    where x.workspace_id = q.workspace_id and x.delivery_id = q.delivery_id
    offset 0
  ) t
  cross join lateral (
    select case when new.window_mode = 'immediate' then t.wanted else outrider.next_opening(new, t.wanted) end as opens
  ) w
  where q.workspace_id = new.workspace_id and q.channel_id = new.channel_id
    and q.available_at > '-infinity' and not q.claimed
    and d.workspace_id = q.workspace_id and d.delivery_id = q.delivery_id
    and d.status = 'queued' and d.not_before <> w.opens;
  return null;
end;
$$;

create or replace trigger channels_reschedule_what_waits_for_their_window
  after update of window_mode, posting_window, timezone on outrider.channels
  for each row
  when (
    (old.window_mode, old.posting_window, old.timezone)
    is distinct from (new.window_mode, new.posting_window, new.timezone)
  )
  execute function outrider.reschedule_waiting();
