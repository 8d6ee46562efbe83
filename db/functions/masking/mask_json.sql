-- Masks a JSON value: texts as mask_text does, the values of telling keys whole, and numbers that
-- read as phone numbers. Shape and keys stay.
create or replace function outrider.mask_json(p_value jsonb)
  returns jsonb
  language plpgsql
  immutable
  parallel safe
  set search_path = outrider, pg_temp
as $$
declare
  v_text text;
begin
  case jsonb_typeof(p_value)
    when 'object' then
      return (
        select coalesce(jsonb_object_agg(
          e.key,
          case
            when e.key ~* '^(.*[_-])?(token|secret|password|passwd|authorization|cookie|api[_-]?key|signature)$'
              and jsonb_typeof(e.value) <> 'null' then '"[token]"'
            when e.key ~* '^(.*[_-])?(phone|phones|tel|msisdn)$'
              and jsonb_typeof(e.value) <> 'null' then '"[phone]"'
            else outrider.mask_json(e.value)
          end
        ), '{}')
        from jsonb_each(p_value) as e
      );
    when 'array' then
      return (
        select coalesce(jsonb_agg(outrider.mask_json(e.value) order by e.ordinality), '[]')
        from jsonb_array_elements(p_value) with ordinality as e
      );
    when 'string', 'number' then
      v_text := outrider.mask_text(p_value #>> '{}');
      return case when v_text = p_value #>> '{}' then p_value else to_jsonb(v_text) end;
    else
      return p_value;
  end case;
end;
$$;
