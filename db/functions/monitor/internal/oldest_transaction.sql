-- The transaction of this database that has been open longest, apart from our own; nothing when there is none.
--
-- Returns: `is_known` is false where the owner of the functions may not see the transactions of other logins (it is no
-- member of pg_read_all_stats).
create or replace function outrider.oldest_transaction(
  out is_known boolean,
  out since timestamptz,
  out pid integer,
  out login text,
  out application text
)
  language plpgsql
  stable
as $$
begin
  is_known := pg_has_role(current_user, 'pg_read_all_stats', 'usage');
  select a.xact_start, a.pid, a.usename::text, a.application_name into since, oldest_transaction.pid, login, application
  from pg_stat_activity a
  where is_known and a.datname = current_database() and a.backend_type = 'client backend' and a.pid <> pg_backend_pid()
    and a.xact_start is not null
  order by a.xact_start
  limit 1;
end;
$$;
