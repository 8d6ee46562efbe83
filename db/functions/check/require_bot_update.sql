-- Checks an update of a platform as take_bot_update takes it.
--
-- Raises: OR001.
create or replace function outrider.require_bot_update(p_function text, p_update jsonb)
  returns void
  language plpgsql
  immutable
as $$
begin
  perform outrider.require_bot_input(p_function, 'update', p_update);
  if jsonb_typeof(p_update -> 'chat_id') is distinct from 'string' or length(p_update ->> 'chat_id') not between 1 and 256
    or jsonb_typeof(p_update -> 'provider_message_id') is distinct from 'string'
    or length(p_update ->> 'provider_message_id') not between 1 and 256
    or coalesce(jsonb_typeof(p_update -> 'callback_id'), 'null') not in ('string', 'null') or length(p_update ->> 'callback_id') > 512
    or coalesce(jsonb_typeof(p_update -> 'ts'), 'null') not in ('string', 'null')
    or coalesce(octet_length((p_update -> 'sender')::text) > 4096, false)
  then
    raise exception using errcode = 'OR001', message = format(
      '%s: update must have chat_id and provider_message_id (texts of 1 to 256 characters), and may have callback_id (512), ts (a time) and sender (an object of 4 KiB)',
      p_function);
  end if;
end;
$$;
