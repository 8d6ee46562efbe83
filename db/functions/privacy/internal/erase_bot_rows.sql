-- Takes a contact out of what is kept about a workspace's bots: messages, answers, what chats have collected, the record. A
-- chat whose id is the contact itself keeps its id: the platform's messages are known by it.
--
-- Concurrency: locks the chats, those of the answers too, and then the answers, each in order. Who commits an answer holds
-- its chat, so nobody who holds one of these answers waits for a lock.
-- Returns: how many rows name the contact; p_dry_run changes none of them.
create or replace function outrider.erase_bot_rows(
  p_workspace_id text,
  p_pattern outrider.contact_pattern,
  p_dry_run boolean
)
  returns bigint
  language plpgsql
  volatile
as $$
declare
  v_chats text[];
  v_updates bigint[];
  v_replies uuid[];
  v_logs uuid[];
begin
  v_chats := array(
    select s.provider || '/' || s.chat_id from outrider.bot_state s
    where s.workspace_id = p_workspace_id and outrider.holds_contact(s.context, p_pattern));
  v_updates := array(
    select i.seq from outrider.bot_inbox i
    where i.workspace_id = p_workspace_id
      and outrider.holds_contact(jsonb_build_array(i.text, i.payload, i.sender, i.trace_id), p_pattern));
  v_replies := array(
    select o.reply_id from outrider.bot_outbox o
    where o.workspace_id = p_workspace_id
      and outrider.holds_contact(jsonb_build_array(o.reply, o.last_error, o.trace_id), p_pattern));
  v_logs := array(
    select l.id from outrider.bot_logs l
    where l.workspace_id = p_workspace_id
      and outrider.holds_contact(jsonb_build_array(l.message_text, l.response_preview, l.meta), p_pattern));
  if not p_dry_run then
    perform from outrider.bot_state s
    where s.workspace_id = p_workspace_id and s.provider || '/' || s.chat_id = any (v_chats || array(
      select o.provider || '/' || o.chat_id from outrider.bot_outbox o
      where o.workspace_id = p_workspace_id and o.reply_id = any (v_replies)))
    order by s.provider, s.chat_id
    for no key update;
    update outrider.bot_state s set context = outrider.erase_json(s.context, p_pattern)
    where s.workspace_id = p_workspace_id and s.provider || '/' || s.chat_id = any (v_chats);
    update outrider.bot_inbox i
    set text = left(outrider.erase_text(i.text, p_pattern), 4096), payload = left(outrider.erase_text(i.payload, p_pattern), 1024),
        sender = outrider.erase_json(i.sender, p_pattern), trace_id = outrider.erase_text(i.trace_id, p_pattern)
    where i.workspace_id = p_workspace_id and i.seq = any (v_updates);
    perform from outrider.bot_outbox o where o.workspace_id = p_workspace_id and o.reply_id = any (v_replies)
    order by o.reply_id for no key update;
    update outrider.bot_outbox o
    set reply = outrider.erase_json(o.reply, p_pattern), last_error = outrider.erase_json(o.last_error, p_pattern),
        trace_id = outrider.erase_text(o.trace_id, p_pattern)
    where o.workspace_id = p_workspace_id and o.reply_id = any (v_replies);
    update outrider.bot_logs l
    set message_text = left(outrider.erase_text(l.message_text, p_pattern), 1000),
        response_preview = left(outrider.erase_text(l.response_preview, p_pattern), 500), meta = outrider.erase_json(l.meta, p_pattern)
    where l.workspace_id = p_workspace_id and l.id = any (v_logs);
  end if;
  return (cardinality(v_chats) + cardinality(v_updates) + cardinality(v_replies) + cardinality(v_logs))::bigint;
end;
$$;
