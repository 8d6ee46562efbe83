-- Whether a value is a list of acknowledged parts: 1 to 100 of {item, provider_message_id}.
create or replace function outrider.are_parts(p_parts jsonb)
  returns boolean
  language sql
  immutable
  parallel safe
as $$
  select case when jsonb_typeof(p_parts) = 'array' then
    jsonb_array_length(p_parts) between 1 and 100
    and not exists (
      select from jsonb_array_elements(p_parts) as e (part)
      where not coalesce(
        jsonb_typeof(e.part) = 'object'
        and jsonb_typeof(e.part -> 'item') = 'number' and e.part ->> 'item' ~ '^\d{1,3}$'
        and jsonb_typeof(e.part -> 'provider_message_id') = 'string'
        and octet_length(e.part ->> 'provider_message_id') between 1 and 512,
        false
      )
    )
  else false end;
$$;
