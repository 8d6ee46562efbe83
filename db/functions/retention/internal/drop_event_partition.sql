-- The last step of purge_expired: drops the oldest partition of the event log, if no workspace keeps its events any longer.
--
-- Concurrency: needs the log for itself, and whoever writes or reads events waits behind us meanwhile. So it waits no
-- longer than lock_timeout of the caller, 50 ms; a reader with an open transaction then has its way until the next minute.
-- Of two calls one leaves it to the other, and to whoever makes partitions.
-- Returns: a row where there is something to drop; its `note` says why it was left.
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
