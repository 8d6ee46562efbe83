-- Ends the error streak of channels that deliver. Channels without one are not written.
--
-- Concurrency: writes only channels that the caller has locked (lock_for_commit). A streak that began after the lock
-- was taken is left alone: its failure came later.
create or replace function outrider.reset_streaks(
  p_workspace_id text,
  p_locked text[],
  p_delivering text[],
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
as $$
begin
  update outrider.channels c
  set error_streak = 0, updated_at = p_now
  where c.workspace_id = p_workspace_id and c.channel_id = any (p_locked) and c.channel_id = any (p_delivering)
    and c.error_streak > 0;
end;
$$;
