-- Moves the events of a day without a partition from the default partition to p_table, which is about to become the
-- partition of that day.
--
-- It deletes from the log, not from the default partition, because the default partition has no row security policy.
create or replace function outrider.move_stray_events(p_day date, p_table text)
  returns void
  language plpgsql
  volatile
as $$
begin
  execute format(
    'with strays as (
       delete from outrider.event_log where ts >= %1$L and ts < %2$L returning *
     )
     insert into outrider.%3$I select * from strays',
    p_day::timestamp at time zone 'UTC', (p_day + 1)::timestamp at time zone 'UTC', p_table);
end;
$$;
