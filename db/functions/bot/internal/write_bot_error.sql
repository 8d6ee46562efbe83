-- Writes to bot_logs that a reply was not sent, and why. The text is the masked one that its turn has logged.
create or replace function outrider.write_bot_error(
  p_reply outrider.bot_outbox,
  p_action text,
  p_error jsonb,
  p_now timestamptz
)
  returns void
  language sql
  volatile
as $$
  insert into outrider.bot_logs
    (workspace_id, id, ts, provider, chat_id, action, state_before, state_after, response_preview, meta)
  select
    p_reply.workspace_id, gen_random_uuid(), p_now, p_reply.provider, p_reply.chat_id, p_action, s.state, s.state,
    coalesce((
      select l.response_preview from outrider.bot_logs l
      where l.workspace_id = p_reply.workspace_id and l.provider = p_reply.provider and l.chat_id = p_reply.chat_id
        and l.ts = p_reply.created_at and l.meta ->> 'idempotency_key' = p_reply.reply_id::text
      limit 1
    ), left(outrider.mask_bot_text(p_reply.reply ->> 'text'), 500)),
    outrider.mask_json(jsonb_build_object(
      'trace_id', p_reply.trace_id, 'idempotency_key', p_reply.reply_id, 'attempt', p_reply.attempt, 'error', p_error))
  from (select coalesce((
      select x.state from outrider.bot_state x
      where x.workspace_id = p_reply.workspace_id and x.provider = p_reply.provider and x.chat_id = p_reply.chat_id
    ), 'default') as state) s;
$$;
