-- The stem of a word in lower case: Russian, or English for a word that begins with a Latin letter. A word that the
-- dictionary leaves out, such as "где", is its own stem.
create or replace function outrider.bot_stem(p_word text)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select coalesce(
    (case
      when p_word ~ '^[a-z]' then ts_lexize('pg_catalog.english_stem', p_word)
      else ts_lexize('pg_catalog.russian_stem', p_word)
    end)[1],
    p_word);
$$;
