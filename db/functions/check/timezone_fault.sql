-- What is wrong with the timezone of a channel, in words; null when PostgreSQL knows it, or there is none.
create or replace function outrider.timezone_fault(p_timezone text)
  returns text
  language plpgsql
  stable
as $$
begin
  perform now() at time zone p_timezone;
  return null;
exception
  when invalid_parameter_value then
    return format('timezone "%s" is not known', left(p_timezone, 64));
end;
$$;
