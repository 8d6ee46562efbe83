-- The first and the last of the ids that begin with the digits of p_part.
--
-- p_part: 4 to 32 digits; dashes are ignored, wherever they stand.
-- Raises: OR001 when p_part is not the beginning of an id.
create or replace function outrider.id_span(p_function text, p_part text, out digits text, out first uuid, out last uuid)
  language plpgsql
  immutable
as $$
begin
  digits := lower(replace(p_part, '-', ''));
  if digits is null or digits !~ '^[0-9a-f]{4,32}$' then
    raise exception using errcode = 'OR001',
      message = format('%s: part must be 4 to 32 of the digits 0 to 9 and a to f, with which an id begins', p_function);
  end if;
  first := rpad(digits, 32, '0')::uuid;
  last := rpad(digits, 32, 'f')::uuid;
end;
$$;
