-- The names of a row's columns as a statement lists them, separated by commas.
create or replace function outrider.column_list(p_row jsonb)
  returns text
  language sql
  immutable
as $$
  select string_agg(format('%I', x.name), ', ' order by x.name) from jsonb_object_keys(p_row) as x (name);
$$;
