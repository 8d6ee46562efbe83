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
  if p_now is null or not isfinite(p_now) then
    raise exception using errcode = 'OR001', message = format('%s: now is missing or infinite', p_function);
  end if;
  return p_now;
end;
$$;
