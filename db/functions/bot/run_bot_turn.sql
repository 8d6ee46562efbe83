create or replace function outrider.run_bot_turn(
  p_workspace_id text,
  p_provider text,
  p_chat_id text,
  p_provider_message_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    verdict text,
    reply_id uuid,
    rule_id text,
    rule_version integer,
    state_before text,
    state_after text,
    why text
  )
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_settings outrider.workspace_settings;
  v_state outrider.bot_state;
  v_asked outrider.bot_inbox;
  v_update outrider.bot_inbox;
  v_turn jsonb;
  v_place integer := 0;
  v_done text;
begin
  perform outrider.require_workspace('run_bot_turn', p_workspace_id);
  perform outrider.require_time('run_bot_turn', p_now);
  perform outrider.require_bot_chat('run_bot_turn', p_provider, p_chat_id);
  perform outrider.require_text('run_bot_turn', 'provider_message_id', p_provider_message_id, 256);

  -- The row of the chat is the lock of its turns.
  select s.* into v_state from outrider.bot_state s
  where s.workspace_id = p_workspace_id and s.provider = p_provider and s.chat_id = p_chat_id
  for no key update;
  if not found and exists (
    select from outrider.bot_inbox i
    where i.workspace_id = p_workspace_id and i.provider = p_provider and i.chat_id = p_chat_id
      and i.provider_message_id = p_provider_message_id
  ) then
    insert into outrider.bot_state (workspace_id, provider, chat_id, updated_at)
    values (p_workspace_id, p_provider, p_chat_id, p_now)
    on conflict do nothing;
    select s.* into v_state from outrider.bot_state s
    where s.workspace_id = p_workspace_id and s.provider = p_provider and s.chat_id = p_chat_id
    for no key update;
  end if;
  select i.* into v_asked from outrider.bot_inbox i
  where i.workspace_id = p_workspace_id and i.provider = p_provider and i.chat_id = p_chat_id
    and i.provider_message_id = p_provider_message_id;
  if not found then
    raise exception using errcode = 'OR002', message = format(
      'run_bot_turn: workspace "%s" has no update "%s" of this chat', left(p_workspace_id, 64), left(p_provider_message_id, 64));
  end if;
  if v_asked.turn_at is not null then
    return query
    select 'already_done', (
        select o.reply_id from outrider.bot_outbox o
        where o.workspace_id = p_workspace_id and o.provider = p_provider and o.chat_id = p_chat_id
          and o.inbound_provider_message_id = p_provider_message_id
      ), null::text, null::integer, v_state.state, v_state.state, 'its turn was done before';
    return;
  end if;

  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;
  for v_update in
    select i.* from outrider.bot_inbox i
    where i.workspace_id = p_workspace_id and i.provider = p_provider and i.chat_id = p_chat_id and i.turn_at is null
      -- Telegram tells whole seconds, and nothing of when a button was pressed: within a second the arrival decides.
      and (date_trunc('second', i.ts), i.seq) <= (date_trunc('second', v_asked.ts), v_asked.seq)
    order by date_trunc('second', i.ts), i.seq
  loop
    exit when v_place > 0 and v_update.failures > 0;
    v_place := v_place + 1;
    v_turn := outrider.take_bot_turn(v_update, v_state, v_settings, v_place, null, p_now);
    v_done := v_update.provider_message_id;
    exit when v_update.failures > 0;
    select s.* into v_state from outrider.bot_state s
    where s.workspace_id = p_workspace_id and s.provider = p_provider and s.chat_id = p_chat_id;
  end loop;
  return query
  select case when v_done = p_provider_message_id then v_turn ->> 'verdict' else 'waiting' end, (v_turn ->> 'reply_id')::uuid, v_turn ->> 'rule_id', (v_turn ->> 'version')::integer,
    v_turn ->> 'state_before', v_turn ->> 'state_after', v_turn ->> 'why';
end;
$$;

comment on function outrider.run_bot_turn is $doc$Does the bot's turn for an update that take_bot_update has recorded: decides the reply (decide_bot_turn), queues it,
moves the chat to its next state, and writes the turn to bot_logs. A turn is done once, however often it is asked for.

Updates of the same chat that came before and whose turns were not done are done first, in their order: by the second that
the platform names, then as they came in.
A chat that is handed over is told to the alert targets, with the latest of its dialogue, masked.
Concurrency: turns of one chat run one after the other, under the lock of its row in bot_state. It waits for nothing that a
sender holds.
Returns: one row. `verdict` is replied, silent, already_done, or waiting: a turn that failed before (fail_bot_turn) is done
alone, and that of the update still waits, so ask again. Wake the senders (wake_dispatchers) after the commit.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.run_bot_turn to outrider_ingest;
