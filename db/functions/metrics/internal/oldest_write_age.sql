-- How long ago a transaction that is still open may have written what count_metrics counts. Rows carry the time at which
-- their statement began or later. So whatever is written from now on, or is not committed yet, is younger than this.
--
-- A transaction that has written to these tables holds a lock on them. A statement under way may be about to write; one
-- that has run for more than a minute without writing is not one of ours, which have ten seconds.
-- Returns: half a minute where the owner of the functions may not see the statements of other logins (it is no member
-- of pg_read_all_stats).
create or replace function outrider.oldest_write_age()
  returns interval
  language plpgsql
  volatile
as $$
begin
  if not pg_has_role(current_user, 'pg_read_all_stats', 'usage') then
    return interval '30 seconds';
  end if;
  return (
    select coalesce(greatest(max(clock_timestamp() - w.since), interval '0'), interval '0')
    from (
      select a.query_start as since
      from pg_stat_activity a
      where a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
        and a.state = 'active' and a.query_start > clock_timestamp() - interval '1 minute'
      union all
      select a.xact_start
      from pg_locks l
      join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'relation' and l.mode = 'RowExclusiveLock' and l.pid <> pg_backend_pid()
        and l.database = (select d.oid from pg_database d where d.datname = current_database())
        and l.relation in (
          'outrider.event_log'::regclass, 'outrider.ingest_runs'::regclass, 'outrider.bot_logs'::regclass,
          'outrider.alerts'::regclass, 'outrider.outbox_events'::regclass)
    ) w
  );
end;
$$;
