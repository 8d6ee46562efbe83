-- The text that a platform keeps and counts: without the characters that it drops, and without blanks and control
-- characters at the ends. At the beginning it trims only as far as the first entity, which keeps its own blanks.
--
-- p_first_entity: the byte at which the first entity begins; null: there is none.
create or replace function outrider.kept_text(p_visible text, p_first_entity integer, p_drops text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  c_blanks constant text := e' \n\t\r\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f';
  v_before text := p_visible;
begin
  if p_first_entity is not null then
    v_before := convert_from(substring(convert_to(p_visible, 'UTF8') from 1 for p_first_entity), 'UTF8');
  end if;
  return rtrim(
    ltrim(translate(v_before, p_drops, ''), c_blanks) || translate(substr(p_visible, length(v_before) + 1), p_drops, ''),
    c_blanks);
end;
$$;
