-- What the platform calls the last reply of a chat that was sent before the one numbered p_seq; null: there is none.
create or replace function outrider.previous_bot_reply(p_workspace_id text, p_provider text, p_chat_id text, p_seq bigint)
  returns text
  language sql
  stable
return (
  select o.provider_message_id from outrider.bot_outbox o
  where o.workspace_id = p_workspace_id and o.provider = p_provider and o.chat_id = p_chat_id and o.seq < p_seq
    and o.status = 'sent' and o.reply <> '{}'
  order by o.seq desc
  limit 1
);
