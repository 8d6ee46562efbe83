-- Deletes runs of intake of a workspace that were begun longer ago than p_retention.
--
-- Returns: how many were deleted, p_limit at most.
create or replace function outrider.sweep_runs(
  p_workspace_id text,
  p_limit integer,
  p_retention interval,
  p_now timestamptz
)
  returns integer
  language plpgsql
  volatile
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_deleted integer;
begin
  delete from outrider.ingest_runs r
  using (
    select x.workspace_id, x.run_id from outrider.ingest_runs x
    where x.workspace_id = p_workspace_id and x.started_at < p_now - p_retention
    order by x.started_at
    limit p_limit
    for update skip locked
  ) old
  where r.workspace_id = old.workspace_id and r.run_id = old.run_id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end;
$$;
