-- Deletes of a workspace's bots: messages older than bot_inbox_retention whose turns were done, and, after
-- bot_logs_retention, the record, answers that have ended, and what is known of chats in which nothing happened since.
--
-- Returns: a row for each kind, and how many rows were deleted, p_limit at most of each kind.
create or replace function outrider.sweep_bot(
  p_settings outrider.workspace_settings,
  p_limit integer,
  p_now timestamptz,
  out purged outrider.purged[],
  out looked integer
)
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_settings.workspace_id;
  v_oldest constant timestamptz := p_now - p_settings.bot_logs_retention;
  v_count integer;
begin
  delete from outrider.bot_inbox i
  using (
    select x.provider, x.chat_id, x.provider_message_id from outrider.bot_inbox x
    where x.workspace_id = v_workspace_id and x.received_at < p_now - p_settings.bot_inbox_retention and x.turn_at is not null
    order by x.received_at
    limit p_limit
    for update skip locked
  ) old
  where i.workspace_id = v_workspace_id and i.provider = old.provider and i.chat_id = old.chat_id
    and i.provider_message_id = old.provider_message_id;
  get diagnostics v_count = row_count;
  looked := v_count;
  purged := array[row('bot_inbox', v_workspace_id, v_count, v_count >= p_limit, null)::outrider.purged];

  delete from outrider.bot_logs l
  using (
    select x.ts, x.id from outrider.bot_logs x
    where x.workspace_id = v_workspace_id and x.ts < v_oldest
    order by x.ts, x.id
    limit p_limit
    for update skip locked
  ) old
  where l.workspace_id = v_workspace_id and l.ts = old.ts and l.id = old.id;
  get diagnostics v_count = row_count;
  looked := looked + v_count;
  purged := purged || row('bot_logs', v_workspace_id, v_count, v_count >= p_limit, null)::outrider.purged;

  delete from outrider.bot_outbox o
  using (
    select x.reply_id from outrider.bot_outbox x
    -- An id begins with the time at which it was made.
    where x.workspace_id = v_workspace_id and x.status in ('sent', 'failed', 'dead') and x.created_at < v_oldest
      and x.reply_id < rpad(lpad(to_hex((extract(epoch from v_oldest) * 1000)::bigint), 12, '0'), 32, '0')::uuid
    order by x.reply_id
    limit p_limit
    for update skip locked
  ) old
  where o.workspace_id = v_workspace_id and o.reply_id = old.reply_id;
  get diagnostics v_count = row_count;
  looked := looked + v_count;
  purged := purged || row('bot_outbox', v_workspace_id, v_count, v_count >= p_limit, null)::outrider.purged;

  delete from outrider.bot_state s
  using (
    select x.provider, x.chat_id from outrider.bot_state x
    where x.workspace_id = v_workspace_id and x.updated_at < v_oldest and coalesce(x.handed_over_until < p_now, true)
      and not exists (
        select from outrider.bot_outbox o
        where o.workspace_id = v_workspace_id and o.provider = x.provider and o.chat_id = x.chat_id and o.status in ('waiting', 'sending'))
    limit p_limit
    for update of x skip locked
  ) old
  where s.workspace_id = v_workspace_id and s.provider = old.provider and s.chat_id = old.chat_id;
  get diagnostics v_count = row_count;
  looked := looked + v_count;
  purged := purged || row('bot_state', v_workspace_id, v_count, v_count >= p_limit, null)::outrider.purged;
end;
$$;
