-- Masks a text of a dialogue as mask_bot_text does, and in it the contacts of the chat (bot_contacts), whatever form they have.
create or replace function outrider.mask_bot_contacts(p_text text, p_contacts jsonb)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_text text := p_text;
  v_value text;
  v_mark text;
begin
  if p_contacts <> '{}' then
    -- Contacts are kept with one blank where several stood.
    v_text := regexp_replace(v_text, '[ \t\u00a0\u200b-\u200f\u2060\ufeff]+', ' ', 'g');
  end if;
  for v_value, v_mark in select c.key, c.value from jsonb_each_text(p_contacts) as c order by length(c.key) desc loop
    v_text := replace(v_text, v_value, v_mark);
  end loop;
  return outrider.mask_bot_text(v_text);
end;
$$;
