create or replace function outrider.fail_bot_turn(
  p_workspace_id text,
  p_provider text,
  p_chat_id text,
  p_error text,
  p_now timestamptz default clock_timestamp()
)
  returns table (provider_message_id text, failures integer, reply_id uuid)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_settings outrider.workspace_settings;
  v_state outrider.bot_state;
  v_update outrider.bot_inbox;
  v_turn jsonb;
begin
  perform outrider.require_workspace('fail_bot_turn', p_workspace_id);
  perform outrider.require_time('fail_bot_turn', p_now);
  perform outrider.require_bot_chat('fail_bot_turn', p_provider, p_chat_id);
  perform outrider.require_text('fail_bot_turn', 'error', p_error, 1000);

  insert into outrider.bot_state (workspace_id, provider, chat_id, updated_at)
  select p_workspace_id, p_provider, p_chat_id, p_now
  where exists (
    select from outrider.bot_inbox i
    where i.workspace_id = p_workspace_id and i.provider = p_provider and i.chat_id = p_chat_id and i.turn_at is null)
  on conflict do nothing;
  select s.* into v_state from outrider.bot_state s
  where s.workspace_id = p_workspace_id and s.provider = p_provider and s.chat_id = p_chat_id
  for no key update;
  select i.* into v_update from outrider.bot_inbox i
  where i.workspace_id = p_workspace_id and i.provider = p_provider and i.chat_id = p_chat_id and i.turn_at is null
  order by date_trunc('second', i.ts), i.seq
  limit 1;
  if not found then
    return;
  end if;

  -- Nobody knows which of several turns it was that failed: from now on each is done alone.
  update outrider.bot_inbox i set failures = i.failures + 1
  where i.workspace_id = p_workspace_id and i.provider = p_provider and i.chat_id = p_chat_id and i.turn_at is null
    and (i.provider_message_id = v_update.provider_message_id or (v_update.failures = 0 and i.failures = 0));
  provider_message_id := v_update.provider_message_id;
  failures := v_update.failures + 1;
  if failures >= 3 then
    select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;
    v_turn := outrider.bot_decision(
      v_state, v_state, 'fell_back', null,
      case when coalesce(v_state.handed_over_until <= p_now, true) then outrider.bot_reply_text(
        v_settings.bot_fallback, v_state.context, jsonb_build_object('text', v_update.text, 'sender', v_update.sender), p_provider) end, null,
      format('its turn failed %s times: %s', failures, left(p_error, 300)), null);
    reply_id := (outrider.take_bot_turn(v_update, v_state, v_settings, 1, v_turn, p_now) ->> 'reply_id')::uuid;
  end if;
  return next;
end;
$$;

comment on function outrider.fail_bot_turn is $doc$Counts a failure of the next turn of a chat, which is that of its first update without a turn. Call it when the turn itself
is at fault: its rules take too long, for example. At the third failure the bot answers with bot_fallback, the log says so, and
the chat stays in its state.

p_error: what failed, for the record.
Concurrency: waits for a turn of the chat that is under way.
Returns: one row, with the update, how often its turn failed, and the reply if there is one; no row when no turn is left to do.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.fail_bot_turn to outrider_ingest;
