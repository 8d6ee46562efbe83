-- Checks that an error has the category that p_function records.
--
-- Raises: OR001.
create or replace function outrider.require_category(p_function text, p_error jsonb, p_category text)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_error ->> 'category' is distinct from p_category then
    raise exception using errcode = 'OR001',
      message = format('%s: the error is of category "%s", not %s', p_function, left(coalesce(p_error ->> 'category', 'none'), 64), p_category);
  end if;
end;
$$;
