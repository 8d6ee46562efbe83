-- Checks a list of ids: 1 to 10000 of them, none missing; and the call's time.
--
-- Raises: OR001.
create or replace function outrider.require_list(p_function text, p_name text, p_ids uuid[], p_now timestamptz)
  returns void
  language plpgsql
  immutable
  set search_path = outrider, pg_temp
as $$
begin
  if p_ids is null or cardinality(p_ids) not between 1 and 10000 or array_position(p_ids, null) is not null then
    raise exception using errcode = 'OR001',
      message = format('%s: %s must hold 1 to 10000 ids', p_function, p_name);
  end if;
  if p_now is null or not isfinite(p_now) then
    raise exception using errcode = 'OR001', message = format('%s: now is missing', p_function);
  end if;
end;
$$;
