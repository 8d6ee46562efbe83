-- The name of the partition that holds the events of a day of UTC.
create or replace function outrider.event_partition(p_day date)
  returns text
  language plpgsql
  immutable
as $$
begin
  return 'events_' || to_char(p_day, 'YYYYMMDD');
end;
$$;
