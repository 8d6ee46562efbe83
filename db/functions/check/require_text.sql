-- Checks a short text: 1 to p_max characters.
--
-- Returns: the text.
-- Raises: OR001.
create or replace function outrider.require_text(p_function text, p_name text, p_text text, p_max integer)
  returns text
  language plpgsql
  immutable
as $$
begin
  if p_text is null or length(p_text) not between 1 and p_max then
    raise exception using errcode = 'OR001',
      message = format('%s: %s has %s characters; 1 to %s are allowed', p_function, p_name, coalesce(length(p_text), 0), p_max);
  end if;
  return p_text;
end;
$$;
