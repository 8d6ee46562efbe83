-- The fault of a channel's timezone; null when PostgreSQL knows the timezone, or when there is none.
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
