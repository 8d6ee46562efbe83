-- Checks the time that a call passes.
--
-- Returns: the time.
-- Raises: OR001.
create or replace function outrider.require_time(p_function text, p_now timestamptz)
  returns timestamptz
  language plpgsql
  immutable
as $$
begin
  if not coalesce(outrider.is_usable_time(p_now), false) then
    raise exception using errcode = 'OR001',
      message = format('%s: now is missing, or not in the years 1970 to 2200; leave it out', p_function);
  end if;
  return p_now;
end;
$$;
