-- Checks what every call of a consumer about an event carries: the consumer's name and the event's id.
--
-- Raises: OR001.
create or replace function outrider.require_processing(p_function text, p_consumer text, p_event_id uuid)
  returns void
  language plpgsql
  immutable
as $$
begin
  perform outrider.require_text(p_function, 'consumer', p_consumer, 100);
  if p_consumer !~ '^[A-Za-z0-9][A-Za-z0-9._-]*$' then
    raise exception using errcode = 'OR001',
      message = format('%s: consumer takes letters, digits, dots, hyphens and underscores, and begins with a letter or digit', p_function);
  end if;
  if p_event_id is null then
    raise exception using errcode = 'OR001', message = format('%s: event_id is missing', p_function);
  end if;
  if p_event_id = '00000000-0000-0000-0000-000000000000' then
    raise exception using errcode = 'OR001',
      message = format('%s: event_id is the nil UUID, which is nobody''s id', p_function);
  end if;
end;
$$;
