-- The probes of what somebody wrote or pressed: see probes_of_bot_rule. `place` says which word of the text a probe for words with
-- a typing error is of.
create or replace function outrider.probes_of_bot_text(p_text outrider.bot_text, p_kind text, p_payload text, p_state text)
  returns table (probe text, place integer)
  language sql
  immutable
  parallel safe
as $$
  select distinct 'c:' || substr(w.word, s.at, s.size), null::integer
  from unnest(p_text.words) as w (word)
  cross join lateral (
    select i as at, n as size from generate_series(1, length(w.word)) as i, generate_series(1, 4) as n
    where i + n - 1 <= length(w.word)
  ) s
  where p_kind <> 'started'
  union all
  select distinct 's:' || s.stem, null::integer from unnest(p_text.stems) as s (stem) where p_kind <> 'started'
  union all
  select distinct 'f:' || d.piece, w.place
  from (
    select t.word, t.place::integer from unnest(p_text.words) with ordinality as t (word, place)
    union
    select t.stem, t.place::integer from unnest(p_text.stems) with ordinality as t (stem, place)
  ) w
  cross join lateral (
    select w.word
    union all
    select p.piece from outrider.word_deletions(w.word) as p (piece) where length(w.word) >= 4
  ) as d (piece)
  where p_kind <> 'started'
  union all
  select p.probe, null::integer
  from unnest(array[
    'p:' || md5(p_payload), case when p_kind = 'started' then 'o:' else 'a:' end, case when p_kind <> 'started' then 'a:' || p_state end
  ]) as p (probe)
  where p.probe is not null;
$$;
