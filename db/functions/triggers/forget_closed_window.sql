-- Clears closed_until, the noted opening of a channel's posting window, when the window is changed.
create or replace function outrider.forget_closed_window()
  returns trigger
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
begin
  new.closed_until := null;
  return new;
end;
$$;

create or replace trigger channels_reopen_when_their_window_changes
  before update of window_mode, posting_window, timezone on outrider.channels
  for each row
  when (
    (old.window_mode, old.posting_window, old.timezone)
    is distinct from (new.window_mode, new.posting_window, new.timezone)
  )
  execute function outrider.forget_closed_window();
