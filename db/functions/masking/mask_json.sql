-- Masks a JSON value: texts as mask_text does, the values of telling keys whole, and numbers that
-- read as phone numbers. Shape and keys stay, down to 40 levels; what lies deeper becomes masked text.
create or replace function outrider.mask_json(p_value jsonb, p_depth integer default 0)
  returns jsonb
  language plpgsql
  immutable
  parallel safe
  set search_path = outrider, pg_temp
as $$
declare
  v_text text;
begin
  case
    when p_depth > 40 or jsonb_typeof(p_value) in ('string', 'number') then
      v_text := outrider.mask_text(p_value #>> '{}');
      return case when v_text = p_value #>> '{}' and p_depth <= 40 then p_value else to_jsonb(v_text) end;
    when jsonb_typeof(p_value) = 'object' then
      return (
        select coalesce(jsonb_object_agg(
          e.key,
          case
            when jsonb_typeof(e.value) = 'null' then e.value
            when e.key ~* '^(.*[_-])?(token|secret|password|passwd|authorization|cookie|api[_-]?key|signature)$' then '"[token]"'
            when e.key ~* '^(.*[_-])?(phone|phones|tel|msisdn)$' then '"[phone]"'
            else outrider.mask_json(e.value, p_depth + 1)
          end
        ), '{}')
        from jsonb_each(p_value) as e
      );
    when jsonb_typeof(p_value) = 'array' then
      return (
        select coalesce(jsonb_agg(outrider.mask_json(e.value, p_depth + 1) order by e.ordinality), '[]')
        from jsonb_array_elements(p_value) with ordinality as e
      );
    else
      return p_value;
  end case;
end;
$$;
