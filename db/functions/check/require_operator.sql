-- Checks that an operation says who ordered it and why.
--
-- Raises: OR001.
create or replace function outrider.require_operator(p_function text, p_operator text, p_reason text)
  returns void
  language plpgsql
  immutable
as $$
begin
  if coalesce(length(p_operator), 0) not between 1 and 200 or coalesce(length(p_reason), 0) not between 1 and 1000 then
    raise exception using errcode = 'OR001',
      message = format('%s: an operator of 1 to 200 characters and a reason of 1 to 1000 are needed', p_function);
  end if;
end;
$$;
