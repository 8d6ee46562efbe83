-- The last step of purge_expired: drops the oldest partition of the event log, if no workspace keeps its events any longer.
--
-- Concurrency: locks the whole log, and whoever writes or reads events waits meanwhile. So it waits for that lock no longer
-- than the caller's lock_timeout, 50 ms. If somebody has the log open for longer, or if another call drops or makes
-- partitions, it leaves the partition for the next minute.
-- Returns: one row if there is something to drop; its `note` says why nothing was dropped.
create or replace function outrider.drop_event_partition(p_dry_run boolean, p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  volatile
as $$
declare
  v_names text[] := outrider.expired_event_partitions(p_now);
begin
  if cardinality(v_names) = 0 then
    return;
  end if;
  if p_dry_run then
    return next row('event_partitions', null, cardinality(v_names), false, null)::outrider.purged;
    return;
  end if;

  begin
    lock table only outrider.event_log in share update exclusive mode nowait;
    v_names := outrider.expired_event_partitions(p_now); -- another call may have been first
    if cardinality(v_names) = 0 then
      return;
    end if;
    lock table only outrider.event_log in access exclusive mode;
    execute format('lock table outrider.%I in access exclusive mode nowait', v_names[1]);
    execute format('drop table outrider.%I', v_names[1]);
    return next row('event_partitions', null, 1, cardinality(v_names) > 1, null)::outrider.purged;
  exception
    when lock_not_available then
      return next row('event_partitions', null, 0, false,
        format('%s is left for the next minute: somebody uses the event log', v_names[1]))::outrider.purged;
  end;
end;
$$;
