-- Makes the next reply of a chat due, unless one of the chat is due or being sent already: at once, or when the platform's
-- pace allows the next message in the chat. What says nothing and only tells the platform that its button was heard has no pace.
--
-- Concurrency: the chat is locked by the caller.
create or replace function outrider.advance_bot_chat(p_workspace_id text, p_provider text, p_chat_id text, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  update outrider.bot_outbox o
  set due_at = greatest(p_now, case when o.reply <> '{}' then (
      select s.next_reply_at from outrider.bot_state s
      where s.workspace_id = p_workspace_id and s.provider = p_provider and s.chat_id = p_chat_id
    ) end)
  from (
    select x.reply_id, x.status, x.due_at from outrider.bot_outbox x
    where x.workspace_id = p_workspace_id and x.provider = p_provider and x.chat_id = p_chat_id
      and x.status in ('waiting', 'sending')
    order by x.seq
    limit 1
  ) first
  where o.workspace_id = p_workspace_id and o.reply_id = first.reply_id and first.status = 'waiting' and first.due_at is null;
end;
$$;
