-- Whether the words of a keyword stand in a text one after the other (fits_bot_word), with its longest word at p_at.
create or replace function outrider.fits_bot_phrase(p_text outrider.bot_text, p_at integer, p_plain text, p_stemmed text)
  returns boolean
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_words constant text[] := string_to_array(p_plain, ' ');
  v_stems constant text[] := string_to_array(btrim(p_stemmed), ' ');
  v_before integer; -- how many words of the text stand before the keyword
begin
  select (p_at - u.n)::integer into v_before from unnest(v_words) with ordinality as u (word, n) order by length(u.word) desc, u.n limit 1;
  if v_before < 0 or v_before + cardinality(v_words) > cardinality(p_text.words) then
    return false;
  end if;
  for v_n in 1 .. cardinality(v_words) loop
    if not outrider.fits_bot_word(p_text.words[v_before + v_n], p_text.stems[v_before + v_n], v_words[v_n], v_stems[v_n]) then
      return false;
    end if;
  end loop;
  return true;
end;
$$;
