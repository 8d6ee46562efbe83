-- Deletes events of a workspace that are older than its retention. Those of a workspace with the longest retention
-- of all are left to the drop of their partition, except for strays in the default one, which is never dropped.
--
-- Returns: how many were deleted, p_limit at most.
create or replace function outrider.sweep_events(
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
  if exists (select from outrider.workspace_settings s where s.events_retention > p_retention) then
    delete from outrider.event_log e
    using (
      select x.workspace_id, x.ts, x.id from outrider.event_log x
      where x.workspace_id = p_workspace_id and x.ts < p_now - p_retention
      order by x.ts
      limit p_limit
      for update skip locked
    ) old
    where e.workspace_id = old.workspace_id and e.ts = old.ts and e.id = old.id;
  else
    delete from outrider.events_default e
    using (
      select x.workspace_id, x.ts, x.id from outrider.events_default x
      where x.workspace_id = p_workspace_id and x.ts < p_now - p_retention
      order by x.ts
      limit p_limit
      for update skip locked
    ) old
    where e.workspace_id = old.workspace_id and e.ts = old.ts and e.id = old.id;
  end if;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end;
$$;
