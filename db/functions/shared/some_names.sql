-- The first names of a list, in words: "a, b, c and 9 more".
create or replace function outrider.some_names(p_names text[], p_most integer default 3)
  returns text
  language sql
  immutable
  parallel safe
return array_to_string(p_names[1:p_most], ', ')
    || case when cardinality(p_names) > p_most then format(' and %s more', cardinality(p_names) - p_most) else '' end;
