-- A word, and the word without each one of its letters. Two words that are one typing error apart have one of these in
-- common.
create or replace function outrider.word_deletions(p_word text)
  returns setof text
  language sql
  immutable
  parallel safe
as $$
  select p_word
  union
  select left(p_word, n - 1) || substr(p_word, n + 1) from generate_series(1, length(p_word)) as n;
$$;
