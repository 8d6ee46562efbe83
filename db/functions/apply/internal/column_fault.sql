-- Says why a JSON value cannot be stored in a column; null when it can. Constraints are not checked.
--
-- A wrong value for a secret's column is not quoted: it may be the secret itself.
create or replace function outrider.column_fault(p_table text, p_column text, p_value jsonb)
  returns text
  language plpgsql
  stable
as $$
declare
  v_column pg_attribute;
  v_type text;
  v_json text;
  v_words text;
  v_fits boolean;
begin
  select a.* into v_column from pg_attribute a
  where a.attrelid = format('outrider.%I', p_table)::regclass and a.attname = p_column;
  if p_value = 'null' then
    return case when v_column.attnotnull then 'cannot be empty; leave it out to keep what is there' end;
  end if;

  v_type := format_type(v_column.atttypid, null);
  select x.json, x.words into v_json, v_words
  from (
    values
      ('jsonb', 'object', 'a mapping'),
      ('boolean', 'boolean', 'true or false'),
      ('text[]', 'array', 'a list of texts'),
      ('integer', 'number', 'a whole number up to 2147483647'),
      ('bigint', 'number', 'a whole number'),
      ('numeric', 'number', 'a number'),
      ('interval', 'string', 'a span of time such as "30 seconds"'),
      ('text', 'string', 'a text')
  ) as x (type, json, words)
  where x.type = v_type;
  if not found then
    v_json := 'string';
    v_words := 'one of ' || (
      select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = v_column.atttypid);
  end if;

  if p_table = 'bot_rules' and p_column = 'buttons' then
    v_json := 'array';
    v_words := 'a list of rows of buttons';
  end if;

  v_fits := jsonb_typeof(p_value) = v_json and not (
    v_json = 'array' and v_type = 'text[]' and jsonb_path_exists(p_value, 'strict $[*] ? (@.type() != "string")'));
  if v_fits and v_json in ('string', 'number') and v_type not in ('text', 'numeric') then
    begin
      execute format('select %L::%s', p_value #>> '{}', v_type);
      v_fits := v_type <> 'interval' or isfinite((p_value #>> '{}')::interval);
    exception
      when data_exception then
        v_fits := false;
    end;
  end if;
  return case
    when v_fits then null
    when p_column ~ 'secret' then 'must be ' || v_words
    else format('must be %s, not %s', v_words, outrider.excerpt(p_value #>> '{}'))
  end;
end;
$$;
