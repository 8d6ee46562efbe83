-- The probes of a rule: pieces of its pattern, of which a text that it matches has at least one (probes_of_bot_text), each
-- with the keyword that it is of: its place in the pattern, and how it is read. So a turn finds the rules that may match by an
-- index, and reads no keyword again.
--
--   c:…  the first four letters of a keyword's longest word (contains)
--   s:…  the stem of a keyword's longest word (stem)
--   f:…  that stem, and from five letters on also the word, both whole and without one of their letters (fuzzy)
--   n:   a word under "not", which is looked for when a keyword was found
--   p:…  the hash of a button's payload
--   o:   somebody started the bot
--   a:…  free input in a state
create or replace function outrider.probes_of_bot_rule(p_rule outrider.bot_rules)
  returns table (probe text, place integer, plain text, stemmed text)
  language sql
  immutable
as $$
  with keywords as materialized (
    select distinct on (t.plain) k.place::integer, btrim(t.plain) as plain, t.stemmed, w.word, w.stem,
      coalesce(p_rule.pattern ->> 'mode', 'contains') as mode
    from jsonb_array_elements_text(p_rule.pattern -> 'keywords') with ordinality as k (keyword, place)
    cross join lateral outrider.read_bot_text(k.keyword) t
    cross join lateral (
      select u.word, u.stem from unnest(t.words, t.stems) with ordinality as u (word, stem, place)
      order by length(u.word) desc, u.place
      limit 1
    ) w
    order by t.plain, k.place
  )
  select 'c:' || left(k.word, 4), k.place, k.plain, k.stemmed from keywords k where k.mode = 'contains'
  union all
  select 's:' || k.stem, k.place, k.plain, k.stemmed from keywords k where k.mode = 'stem'
  union all
  select 'f:' || d.piece, k.place, k.plain, k.stemmed
  from keywords k
  cross join lateral (
    select k.stem
    union
    select p.piece from outrider.word_deletions(k.word) as p (piece) where length(k.word) >= 5
    union
    select p.piece from outrider.word_deletions(k.stem) as p (piece) where length(k.word) >= 5 and length(k.stem) >= 4
  ) as d (piece)
  where k.mode = 'fuzzy'
  union all
  select distinct on (t.plain) 'n:', 0, btrim(t.plain), t.stemmed
  from jsonb_array_elements_text(p_rule.pattern -> 'not') as n (word)
  cross join lateral outrider.read_bot_text(n.word) t
  union all
  select distinct 'p:' || md5(p.payload), 0, '', '' from jsonb_array_elements_text(p_rule.pattern -> 'payloads') as p (payload)
  union all
  select 'o:', 0, '', '' where p_rule.pattern -> 'started' = 'true'
  union all
  select 'a:' || coalesce(p_rule.from_state, ''), 0, '', '' where p_rule.pattern ->> 'mode' = 'any';
$$;
