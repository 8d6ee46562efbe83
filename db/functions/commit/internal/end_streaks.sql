-- Locks what a commit will write beside its deliveries (lock_for_commit), and ends the streaks of failures of the
-- channels and groups in which the commit records a success. The successes are p_sent_ids under p_tokens; these arrays
-- run in parallel.
--
-- Returns: the groups that deliver, as platform/group.
create or replace function outrider.end_streaks(
  p_workspace_id text,
  p_sent_ids uuid[],
  p_tokens uuid[],
  p_failures jsonb,
  p_now timestamptz
)
  returns text[]
  language plpgsql
  volatile
as $$
declare
  v_delivering constant text[] := outrider.delivering_channels(p_workspace_id, p_sent_ids, p_tokens);
  v_locked record;
begin
  v_locked := outrider.lock_for_commit(p_workspace_id, p_failures, v_delivering, p_now);
  perform outrider.reset_streaks(p_workspace_id, v_locked.channels, v_delivering, p_now);
  return outrider.end_outages(p_workspace_id, v_locked.groups, v_delivering, p_now);
end;
$$;
