-- The beginning of a text that is longer than p_length characters: whole words that have p_length characters at most,
-- without the blanks and signs that would stand before an ellipsis.
--
-- A word is cut only where leaving it out would lose half of the beginning, never within a character, and an address
-- never. The last 64 code points at most are looked at for the beginning of a character.
create or replace function outrider.head_of_text(p_text text, p_length integer)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  c_blanks constant text := e' \n\t\r\u00a0';
  v_head text := left(p_text, p_length);
  v_back integer; -- how far behind the end the last blank stands
  v_word text;
begin
  -- Unless a word ends here, whatever signs follow it:
  if substr(p_text, p_length + 1, 16) !~ '^[,.;:!?)»"…]*(?:[ \n\t\r\u00a0]|$)' then
    v_back := strpos(translate(reverse(v_head), c_blanks, '     '), ' ');
    v_word := substring(substr(p_text, case v_back when 0 then 1 else length(v_head) - v_back + 2 end, p_length + 2048)
      from '^[^ \n\t\r\u00a0]+');
    if v_word ~* '://|^\W*www\.' or v_back > 0 and (length(v_head) - v_back) * 2 >= p_length then
      v_head := case v_back when 0 then '' else left(v_head, -v_back) end;
    else
      for v_n in 1 .. 64 loop
        exit when outrider.begins_character(right(v_head, 64), substr(p_text, length(v_head) + 1, 1));
        v_head := left(v_head, -1);
      end loop;
    end if;
  end if;
  return rtrim(v_head, c_blanks || '.,;:–—-(«"[');
end;
$$;
