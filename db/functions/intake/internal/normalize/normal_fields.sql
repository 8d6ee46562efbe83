-- The fields of a post as strings: numbers without needless zeros, booleans as true and false, texts
-- as normal_text writes them. Fields that are null are left out.
--
-- Returns: null when there are none.
create or replace function outrider.normal_fields(p_fields jsonb)
  returns jsonb
  language plpgsql
  immutable
  strict
  parallel safe
as $$
begin
  return (
    select jsonb_object_agg(e.key, case jsonb_typeof(e.value)
      when 'string' then outrider.normal_text(e.value #>> '{}')
      when 'number' then trim_scale(e.value::numeric)::text
      else e.value #>> '{}'
    end)
    from jsonb_each(p_fields) as e
    where jsonb_typeof(e.value) <> 'null'
  );
end;
$$;
