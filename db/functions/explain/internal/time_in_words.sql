-- A time in a sentence: to the second, in UTC.
create or replace function outrider.time_in_words(p_time timestamptz)
  returns text
  language sql
  stable
  parallel safe
return to_char(p_time at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC';
