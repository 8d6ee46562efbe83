-- A JSON value without a contact: texts and keys as erase_text does, and numbers that are the contact. Anything deeper
-- than 50 levels becomes a text.
create or replace function outrider.erase_json(
  p_value jsonb,
  p_pattern outrider.contact_pattern,
  p_depth integer default 0
)
  returns jsonb
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_text text;
begin
  if p_value is null or p_value::text !~* (p_pattern).rough then
    return p_value;
  end if;
  if p_depth = 50 then
    return to_jsonb(outrider.erase_text(p_value::text, p_pattern));
  end if;
  case jsonb_typeof(p_value)
    when 'object' then
      return (
        select jsonb_object_agg(outrider.erase_text(e.key, p_pattern), outrider.erase_json(e.value, p_pattern, p_depth + 1))
        from jsonb_each(p_value) as e
      );
    when 'array' then
      return (
        select jsonb_agg(outrider.erase_json(e.value, p_pattern, p_depth + 1) order by e.ordinality)
        from jsonb_array_elements(p_value) with ordinality as e
      );
    else
      v_text := outrider.erase_text(p_value #>> '{}', p_pattern);
      return case when v_text = p_value #>> '{}' then p_value else to_jsonb(v_text) end;
  end case;
end;
$$;
