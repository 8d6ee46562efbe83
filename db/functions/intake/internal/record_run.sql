-- Records a finished run of intake with its counts.
--
-- Returns: the run's id.
create or replace function outrider.record_run(
  p_workspace_id text,
  p_run_id text,
  p_kind outrider.ingest_kind,
  p_stats jsonb,
  p_now timestamptz
)
  returns text
  language plpgsql
  volatile
as $$
begin
  insert into outrider.ingest_runs (workspace_id, run_id, kind, started_at, finished_at, stats_json)
  values (p_workspace_id, p_run_id, p_kind, p_now, p_now, p_stats);
  return p_run_id;
end;
$$;
