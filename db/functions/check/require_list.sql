-- Checks a list of ids: p_least to 10000 of them, none missing; and the call's time.
--
-- Raises: OR001.
create or replace function outrider.require_list(
  p_function text,
  p_name text,
  p_ids uuid[],
  p_now timestamptz,
  p_least integer default 1
)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_ids is null or array_ndims(p_ids) <> 1 or cardinality(p_ids) not between p_least and 10000
    or array_position(p_ids, null) is not null
  then
    raise exception using errcode = 'OR001',
      message = format('%s: %s must hold %s to 10000 ids', p_function, p_name, p_least);
  end if;
  perform outrider.require_time(p_function, p_now);
end;
$$;
