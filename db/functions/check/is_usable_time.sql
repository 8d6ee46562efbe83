-- Whether a time lies in the years 1970 to 2200. Beyond them, what is added to it may leave PostgreSQL's calendar, and
-- programs cannot read it: JavaScript, for one, no year of five digits.
--
-- Returns: null for null.
create or replace function outrider.is_usable_time(p_time timestamptz)
  returns boolean
  language sql
  immutable
  parallel safe
return p_time >= '1970-01-01 00:00:00+00' and p_time < '2201-01-01 00:00:00+00';
