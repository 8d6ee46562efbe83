-- Brings one row of the configuration to what a document asks for. The caller has checked the fields
-- (configuration_fault).
--
-- p_before: the row as it is now; null: it is to be added. Fields that are not given keep their values or, in a new
-- row, get the defaults of their columns. A row that needs no change is not written.
-- Concurrency: the caller has locked the row.
-- Returns: a configuration_change (add, change or keep), or a refused_change with everything that is wrong with the
-- row.
create or replace function outrider.apply_row(
  p_kind text,
  p_table text,
  p_id text,
  p_key jsonb,
  p_before jsonb,
  p_fields jsonb,
  p_now timestamptz
)
  returns jsonb
  language plpgsql
  volatile
as $$
declare
  v_row constant jsonb := coalesce(p_before, p_key) || p_fields;
  v_wanted jsonb;
  v_fields jsonb;
  v_stamps jsonb;
  v_constraint text;
  v_column text;
  v_hint text;
begin
  -- Values are compared as the columns hold them: "300 seconds" and "00:05:00" are the same.
  execute format('select to_jsonb(r) from jsonb_populate_record(null::outrider.%I, $1) r', p_table)
    into v_wanted using v_row;
  select jsonb_object_agg(f.name, jsonb_build_object('from', p_before -> f.name, 'to', v_wanted -> f.name)) into v_fields
  from jsonb_object_keys(p_fields) as f (name)
  where p_before is null or p_before -> f.name <> v_wanted -> f.name;
  if p_before is not null and v_fields is null then
    return outrider.configuration_change(p_kind, p_id, 'keep', null);
  end if;

  select coalesce(jsonb_object_agg(a.attname, p_now), '{}') into v_stamps from pg_attribute a
  where a.attrelid = format('outrider.%I', p_table)::regclass
    and (a.attname = 'updated_at' or (a.attname = 'created_at' and p_before is null));

  -- The checker does not see the statements that are built here, and takes the function for a stable one:
  -- @plpgsql_check_options: performance_warnings = false
  begin
    if p_before is null then
      execute format(
        'insert into outrider.%I (%s) select %s from jsonb_populate_record(null::outrider.%I, $1)',
        p_table, outrider.column_list(p_key || p_fields || v_stamps), outrider.column_list(p_key || p_fields || v_stamps), p_table)
        using v_wanted || v_stamps;
    else
      execute format(
        'update outrider.%I t set (%s) = (select %s from jsonb_populate_record(null::outrider.%I, $1)) where %s',
        p_table, outrider.column_list(p_fields || v_stamps), outrider.column_list(p_fields || v_stamps), p_table,
        (select string_agg(format('t.%I = %L', k.key, k.value), ' and ') from jsonb_each_text(p_key) k))
        using v_wanted || v_stamps;
    end if;
  exception
    when integrity_constraint_violation then
      get stacked diagnostics v_constraint = constraint_name, v_column = column_name;
      return outrider.refused_row(p_kind, p_id, v_row, format('%s %s: %s',
        replace(p_kind, '_', ' '), outrider.excerpt(p_id), outrider.constraint_in_words(v_constraint, v_column)));
    when sqlstate 'OR001' then -- from a trigger; its message names the thing
      get stacked diagnostics v_hint = pg_exception_hint;
      return outrider.refused_row(p_kind, p_id, v_row, sqlerrm, v_hint);
    when sqlstate 'OR002' then -- from the trigger of channels: the template does not exist
      return outrider.refused_row(p_kind, p_id, v_row, regexp_replace(sqlerrm, '^(channel "[^"]*"): ', '\1: template_ref: '),
        'Put the template under templates, or take the template_ref away.');
  end;
  return outrider.configuration_change(p_kind, p_id, case when p_before is null then 'add' else 'change' end, v_fields);
end;
$$;
