-- Masks a JSON value: texts and keys as mask_text does, the whole value of a key such as `token` or `phone`, and whole numbers
-- that look like phone numbers. The shape stays, down to 50 levels; anything deeper becomes a masked text.
create or replace function outrider.mask_json(p_value jsonb, p_depth integer default 0)
  returns jsonb
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_text text;
begin
  if p_depth = 50 then
    return to_jsonb(outrider.mask_text(p_value::text));
  end if;
  case jsonb_typeof(p_value)
    when 'object' then
      return (
        select coalesce(jsonb_object_agg(
          -- An ordinary name needs no look.
          case when e.key ~ '^[A-Za-z_]{1,30}$' then e.key else outrider.mask_text(e.key) end,
          case
            when k.name ~* '^(.*[_-])?(token|secret|password|passwd|passphrase|passcode|pass|pwd|authorization|cookie|(api|access|secret|private|auth)[_-]?key|session[_-]?id|sessid|signature|sig|jwt|[Пп]ароль|[Тт]окен)$'
              and jsonb_typeof(e.value) <> 'null' then '"[token]"'
            when k.name ~* '^(.*[_-])?(phone|phones|tel|telephone|msisdn|whatsapp|[Тт]елефон)([_-]numbers?)?$'
              and jsonb_typeof(e.value) <> 'null' then '"[phone]"'
            else outrider.mask_json(e.value, p_depth + 1)
          end
        ), '{}')
        from jsonb_each(p_value) as e
        cross join lateral (select regexp_replace(e.key, '([a-z0-9])([A-Z])', '\1_\2', 'g') as name) k
      );
    when 'array' then
      return (
        select coalesce(jsonb_agg(outrider.mask_json(e.value, p_depth + 1) order by e.ordinality), '[]')
        from jsonb_array_elements(p_value) with ordinality as e
      );
    when 'string', 'number' then
      if jsonb_typeof(p_value) = 'number' and p_value::text !~ '^\d+$' then
        return p_value;
      end if;
      v_text := outrider.mask_text(p_value #>> '{}');
      return case when v_text = p_value #>> '{}' then p_value else to_jsonb(v_text) end;
    else
      return p_value;
  end case;
end;
$$;
