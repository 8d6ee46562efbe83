-- Checks the name of a chat: its platform and its id there.
--
-- Raises: OR001.
create or replace function outrider.require_bot_chat(p_function text, p_provider text, p_chat_id text)
  returns void
  language plpgsql
  stable
as $$
begin
  if p_provider is null or not exists (select from outrider.platforms p where p.platform = p_provider) then
    raise exception using errcode = 'OR001', message = format('%s: provider is not known', p_function);
  end if;
  perform outrider.require_text(p_function, 'chat_id', p_chat_id, 256);
end;
$$;
