-- Checks a list of names: 10000 of them at most, each of 1 to 128 characters; and the call's time.
--
-- Raises: OR001.
create or replace function outrider.require_names(p_function text, p_name text, p_names text[], p_now timestamptz)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_names is null or array_ndims(p_names) <> 1 or cardinality(p_names) > 10000
    or exists (select from unnest(p_names) as x (name) where coalesce(length(x.name), 0) not between 1 and 128)
  then
    raise exception using errcode = 'OR001',
      message = format('%s: %s must hold 0 to 10000 names of 1 to 128 characters', p_function, p_name);
  end if;
  perform outrider.require_time(p_function, p_now);
end;
$$;
