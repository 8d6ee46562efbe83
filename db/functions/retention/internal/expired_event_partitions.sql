-- The partitions of the event log of which every event is older than any workspace keeps it, the oldest first.
create or replace function outrider.expired_event_partitions(p_now timestamptz)
  returns text[]
  language sql
  stable
as $$
  select array(
    select c.relname::text
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'outrider.event_log'::regclass and c.relname ~ '^events_[0-9]{8}$'
      and (to_date(right(c.relname, 8), 'YYYYMMDD') + 1)::timestamp at time zone 'UTC'
        <= p_now - (select max(s.events_retention) from outrider.workspace_settings s)
    order by c.relname
  );
$$;
