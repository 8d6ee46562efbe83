-- The ids that begin with some digits: the first and the last of them.
--
-- p_part may have dashes, where an id has them or elsewhere.
-- Raises: OR001 for what is not the beginning of an id: 4 to 32 digits.
create or replace function outrider.id_span(p_function text, p_part text, out digits text, out first uuid, out last uuid)
  language plpgsql
  immutable
as $$
begin
  digits := lower(replace(p_part, '-', ''));
  if digits is null or digits !~ '^[0-9a-f]{4,32}$' then
    raise exception using errcode = 'OR001',
      message = format('%s: part is not a part of an id; that has 4 to 32 of the digits 0 to 9 and a to f', p_function);
  end if;
  first := rpad(digits, 32, '0')::uuid;
  last := rpad(digits, 32, 'f')::uuid;
end;
$$;
