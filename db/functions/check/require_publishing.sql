-- Checks the limit of attempts, and the time.
--
-- Raises: OR001.
create or replace function outrider.require_publishing(p_function text, p_max_attempts integer, p_now timestamptz)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_max_attempts is null or p_max_attempts not between 1 and 100 then
    raise exception using errcode = 'OR001',
      message = format('%s: max_attempts is %s; 1 to 100 are allowed', p_function, coalesce(p_max_attempts::text, 'missing'));
  end if;
  perform outrider.require_time(p_function, p_now);
end;
$$;
