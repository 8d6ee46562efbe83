-- Moves the events of a day that had no partition from the default one to a table that is about to become
-- its partition.
--
-- Through the log, not through the default partition itself: that has no policy of row security of its own.
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
