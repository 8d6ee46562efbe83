-- Checks what every call of a run carries: its id, how much it asks for, and its time.
--
-- Raises: OR001.
create or replace function outrider.require_run(p_function text, p_run_id text, p_limit integer, p_now timestamptz)
  returns void
  language plpgsql
  immutable
  set search_path = outrider, pg_temp
as $$
begin
  if p_run_id is null or length(p_run_id) not between 1 and 200 then
    raise exception using errcode = 'OR001',
      message = format('%s: run_id has %s characters; 1 to 200 are allowed', p_function, coalesce(length(p_run_id), 0));
  end if;
  if p_limit is null or p_limit not between 1 and 10000 then
    raise exception using errcode = 'OR001',
      message = format('%s: limit is %s; 1 to 10000 are allowed', p_function, coalesce(p_limit::text, 'missing'));
  end if;
  if p_now is null or not isfinite(p_now) then
    raise exception using errcode = 'OR001', message = format('%s: now is missing', p_function);
  end if;
end;
$$;
