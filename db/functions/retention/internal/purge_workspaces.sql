-- A step of purge_expired: goes through the workspaces that are due, one after the other.
--
-- Every workspace is due once a day, and each of its rows is looked at once in that time: what has to stay although it
-- is old (it waits for a channel that is disabled) is not read again with every batch.
-- Concurrency: a workspace that another call goes through is passed over. While a table cannot be locked (partitions of
-- the event log are being made) all is left for the next minute.
-- Returns: what was removed, by kind and workspace; in a dry run, what would be. A workspace counts as a row of p_limit.
create or replace function outrider.purge_workspaces(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  volatile
as $$
declare
  v_left integer := p_limit;
  v_sweep outrider.retention_sweeps;
  v_swept record;
begin
  if p_dry_run then
    return query select x.* from outrider.count_expired(p_now) as x;
    return;
  end if;

  for v_sweep in
    select s.* from outrider.retention_sweeps s
    where s.due_at <= p_now or s.due_at > p_now + interval '1 day' -- the clock was set back since
    order by s.due_at, s.workspace_id
    for update skip locked
  loop
    if v_left <= 0 then
      return next row('workspaces', null, 0, true, null)::outrider.purged;
      return;
    end if;
    begin
      v_swept := outrider.sweep_workspace(v_sweep, v_left, p_now);
    exception
      when lock_not_available then
        return next row('workspaces', null, 0, false, 'left for the next minute: somebody uses the event log')::outrider.purged;
        return;
    end;
    v_left := v_left - 1 - v_swept.looked;
    return query select u.* from unnest(v_swept.purged) as u where u.removed > 0 or u.more;
  end loop;
end;
$$;
