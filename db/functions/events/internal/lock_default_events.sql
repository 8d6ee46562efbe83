-- Locks the default partition of events against everybody, until the transaction ends. p_is_written: events of the day
-- are being written, so the log itself is locked against writers too. Without that lock an event that is already on its
-- way to the default partition would fail; with it the event waits, and then finds the partition of its day.
--
-- Concurrency: waits as long as lock_timeout of the caller says.
-- Raises: 55P03 when they are in use, with the processes that use them.
create or replace function outrider.lock_default_events(p_is_written boolean)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_users text;
begin
  if p_is_written then
    lock table only outrider.event_log in share row exclusive mode;
  end if;
  lock table outrider.events_default in access exclusive mode;
exception
  when lock_not_available then
    select string_agg(distinct l.pid::text, ', ') into v_users
    from pg_locks l
    where l.locktype = 'relation' and l.relation in ('outrider.event_log'::regclass, 'outrider.events_default'::regclass)
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.granted and l.pid <> pg_backend_pid();
    raise exception using errcode = '55P03',
      message = format('partitions of events cannot be made before these processes end their transactions: %s',
        coalesce(v_users, 'unknown'));
end;
$$;
