-- A time in the form of RFC 3339, in UTC, to the microsecond.
create or replace function outrider.iso_time(p_time timestamptz)
  returns text
  language sql
  stable
  parallel safe
return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
