-- The first fault in the fields that a document gives to one thing; null when there is none. Fields are named as in
-- documents, where the column config_json is `config`.
create or replace function outrider.configuration_fault(p_table text, p_known text[], p_fields jsonb)
  returns text
  language plpgsql
  stable
as $$
declare
  v_name text;
  v_value jsonb;
  v_fault text;
begin
  if jsonb_typeof(p_fields) is distinct from 'object' then
    return 'must be a mapping of fields';
  end if;
  for v_name, v_value in select e.key, e.value from jsonb_each(p_fields) e loop
    if v_name <> all (p_known) then
      return format('has no field %s; it may have %s', outrider.excerpt(v_name), regexp_replace(array_to_string(p_known, ', '), '_json\M', '', 'g'));
    end if;
    v_fault := outrider.column_fault(p_table, v_name, v_value);
    if v_fault is not null then
      return format('%s %s', regexp_replace(v_name, '_json$', ''), v_fault);
    end if;
  end loop;
  return null;
end;
$$;
