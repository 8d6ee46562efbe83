-- Checks what every call of a dispatcher's loop carries: the id of the caller (p_id, which errors call p_name), the
-- limit, and the time.
--
-- Returns: the id of the caller.
-- Raises: OR001.
create or replace function outrider.require_run(p_function text, p_name text, p_id text, p_limit integer, p_now timestamptz)
  returns text
  language plpgsql
  immutable
as $$
begin
  if p_id is null or length(p_id) not between 1 and 200 then
    raise exception using errcode = 'OR001',
      message = format('%s: %s has %s characters; 1 to 200 are allowed', p_function, p_name, coalesce(length(p_id), 0));
  end if;
  if p_limit is null or p_limit not between 1 and 10000 then
    raise exception using errcode = 'OR001',
      message = format('%s: limit is %s; 1 to 10000 are allowed', p_function, coalesce(p_limit::text, 'missing'));
  end if;
  return case when outrider.require_time(p_function, p_now) is not null then p_id end;
end;
$$;
