-- Checks a limit: 1 to p_max. p_name is what the caller calls it.
--
-- Raises: OR001.
create or replace function outrider.require_count(
  p_function text,
  p_limit integer,
  p_max integer,
  p_name text default 'limit'
)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_limit is null or p_limit not between 1 and p_max then
    raise exception using errcode = 'OR001',
      message = format('%s: %s is %s; 1 to %s are allowed', p_function, p_name, coalesce(p_limit::text, 'missing'), p_max);
  end if;
end;
$$;
