-- Of a row, the fields that a document may set.
create or replace function outrider.only_fields(p_row jsonb, p_fields jsonb)
  returns jsonb
  language sql
  immutable
  parallel safe
as $$
  select coalesce(jsonb_object_agg(r.key, r.value), '{}') from jsonb_each(p_row) r where p_fields ? r.key;
$$;
