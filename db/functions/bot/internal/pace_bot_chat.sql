-- Lets the next message of a chat go out no earlier than p_next_at; a time that lies further ahead stays.
--
-- Concurrency: the chat is locked by the caller.
create or replace function outrider.pace_bot_chat(p_reply outrider.bot_outbox, p_next_at timestamptz)
  returns void
  language sql
  volatile
as $$
  update outrider.bot_state s set next_reply_at = greatest(s.next_reply_at, p_next_at)
  where s.workspace_id = p_reply.workspace_id and s.provider = p_reply.provider and s.chat_id = p_reply.chat_id;
$$;
