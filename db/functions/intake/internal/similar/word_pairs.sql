-- Hashes of the pairs of neighbouring words, each once; of a single word, the hash of that. The first 500 words count.
create or replace function outrider.word_pairs(p_words text[])
  returns integer[]
  language sql
  immutable
  parallel safe
begin atomic
  select coalesce(array_agg(distinct hashtext(w.word || ' ' || coalesce(w.next, ''))), '{}')
  from (
    select u.word, lead(u.word) over (order by u.n) as next, u.n
    from unnest(p_words[:500]) with ordinality as u (word, n)
  ) w
  where w.word <> '' and (w.next is not null or cardinality(p_words) = 1);
end;
