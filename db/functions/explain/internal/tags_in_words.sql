-- Tags in a sentence: "#lost, #dogs", or "no tags".
create or replace function outrider.tags_in_words(p_tags text[])
  returns text
  language sql
  immutable
  parallel safe
return coalesce(
    (select string_agg('#' || outrider.mask_text(t.tag), ', ' order by t.n) from unnest(p_tags) with ordinality as t (tag, n)),
    'no tags');
