-- Checks acknowledged parts: an array of {item, provider_message_id}, at most 100 of them.
--
-- Raises: OR001.
create or replace function outrider.require_parts(p_function text, p_parts jsonb)
  returns void
  language plpgsql
  immutable
as $$
begin
  if not outrider.are_parts(p_parts) then
    raise exception using errcode = 'OR001',
      message = format('%s: parts must be 1 to 100 of {item: 0…999, provider_message_id: text of 1 to 512 bytes}', p_function);
  end if;
end;
$$;
