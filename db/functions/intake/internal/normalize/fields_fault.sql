-- Checks the fields of a post: at most 100, with names that a template can use and short values.
--
-- Returns: a sentence; null: nothing is wrong.
create or replace function outrider.fields_fault(p_fields jsonb)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_count integer := (select count(*)::integer from jsonb_object_keys(p_fields));
begin
  if v_count > 100 then
    return format('fields has %s entries; the limit is 100', v_count);
  end if;
  return (
    select f.fault
    from jsonb_each(p_fields) as e
    cross join lateral (
      select case
        when e.key !~ '^[a-z][a-z0-9_]{0,63}$' then
          format('fields cannot have the name %s: a name is a letter of a to z, then up to 63 of a to z, 0 to 9 and _', outrider.excerpt(e.key))
        when e.key in ('text', 'title', 'url', 'links', 'tags') then
          format('fields.%s has a name that stands for the post’s own %s in templates; choose another', e.key, e.key)
        when jsonb_typeof(e.value) in ('object', 'array') then
          format('fields.%s must be a string, a number, a boolean or null, not %s', e.key, outrider.kind_of(e.value))
        else outrider.length_fault('fields.' || e.key, e.value #>> '{}', 0, 4096)
      end as fault
      offset 0 -- otherwise it would be computed twice: here and in the condition
    ) f
    where f.fault is not null
    limit 1
  );
end;
$$;
