-- Checks that a boolean argument is there.
--
-- Raises: OR001.
create or replace function outrider.require_flag(p_function text, p_name text, p_flag boolean)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_flag is null then
    raise exception using errcode = 'OR001',
      message = format('%s: %s is missing; true and false are allowed', p_function, p_name);
  end if;
end;
$$;
