-- A sentence with facts in place of their names, which stand in braces. One pass: what a fact says is taken as it is.
create or replace function outrider.fill_in(p_words text, p_facts jsonb)
  returns text
  language sql
  immutable
  parallel safe
return (
    select string_agg(m.piece[1] || coalesce(p_facts ->> m.piece[2], ''), '' order by m.n)
    from regexp_matches(p_words, '([^{]*)(?:\{([a-z_]+)\})?', 'g') with ordinality as m (piece, n)
  );
