-- The part of a free input that a check asks for; null when the input has no such part.
--
-- p_check: order_number (order_number_in), number, phone, email, or a regular expression (bot_check_fault). Without a check
-- the whole input is valid.
create or replace function outrider.valid_bot_input(p_check text, p_text text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_text constant text := left(btrim(regexp_replace(coalesce(p_text, ''), '[\s\u00a0\u200b-\u200f\u2060\ufeff]+', ' ', 'g')), 500);
  v_found text[];
begin
  if v_text = '' then
    return null;
  elsif p_check is null then
    return v_text;
  elsif p_check = 'order_number' then
    return outrider.order_number_in(v_text);
  end if;
  v_found := regexp_match(v_text, case p_check
    when 'number' then '(?:^|[^0-9])(\d{1,15})(?!\d)'
    when 'phone' then '(?:^|[^0-9+])((?:\+?[78][ ()-]*)?(?:\d[ ()-]*){9}\d)(?!\d)'
    when 'email' then '([A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,})'
    else '(' || p_check || ')'
  end, case when p_check in ('number', 'phone', 'email') then '' else 'i' end);
  return nullif(btrim(v_found[1]), '');
end;
$$;
