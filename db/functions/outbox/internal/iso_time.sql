-- A time as RFC 3339 has it, in UTC, to the microsecond.
create or replace function outrider.iso_time(p_time timestamptz)
  returns text
  language sql
  stable
  parallel safe
return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
