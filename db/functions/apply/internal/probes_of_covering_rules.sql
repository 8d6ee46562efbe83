-- The probes (probes_of_bot_rule) of keywords that are found whenever a keyword of the mode is: in each of its forms, and with
-- each typing error that it may have.
create or replace function outrider.probes_of_covering_rules(p_keyword outrider.bot_text, p_mode text)
  returns text[]
  language sql
  immutable
  parallel safe
as $$
  select array(
    select distinct 'c:' || substr(w.word, i, n)
    from unnest(case p_mode when 'contains' then p_keyword.words when 'stem' then p_keyword.stems end) as w (word)
    cross join lateral generate_series(1, length(w.word)) as i
    cross join generate_series(1, 4) as n
    where i + n - 1 <= length(w.word)
    union all
    select distinct 's:' || s.stem from unnest(p_keyword.stems) as s (stem) where p_mode = 'stem'
    union all
    select distinct 'f:' || s.stem from unnest(p_keyword.stems) as s (stem) where p_mode in ('stem', 'fuzzy'));
$$;
