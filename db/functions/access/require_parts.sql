-- Checks acknowledged parts: an array of {item, provider_message_id}, at most 100 of them.
--
-- Raises: OR001.
create or replace function outrider.require_parts(p_function text, p_parts jsonb)
  returns void
  language plpgsql
  immutable
  set search_path = outrider, pg_temp
as $$
begin
  if p_parts is null or jsonb_typeof(p_parts) <> 'array' or jsonb_array_length(p_parts) not between 1 and 100
    or exists (
      select from jsonb_array_elements(p_parts) as e (part)
      where not coalesce(
        jsonb_typeof(e.part) = 'object'
        and jsonb_typeof(e.part -> 'item') = 'number' and e.part ->> 'item' ~ '^\d{1,3}$'
        and jsonb_typeof(e.part -> 'provider_message_id') = 'string'
        and octet_length(e.part ->> 'provider_message_id') between 1 and 512,
        false
      )
    )
  then
    raise exception using errcode = 'OR001',
      message = format('%s: parts must be 1 to 100 of {item: 0…999, provider_message_id: text of 1 to 512 bytes}', p_function);
  end if;
end;
$$;
