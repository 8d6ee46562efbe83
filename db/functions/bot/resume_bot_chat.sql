create or replace function outrider.resume_bot_chat(
  p_workspace_id text,
  p_provider text,
  p_chat_id text,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns table (provider text, chat_id text, resumed boolean, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_state outrider.bot_state;
  v_refusal text;
begin
  perform outrider.require_workspace('resume_bot_chat', p_workspace_id);
  perform outrider.require_bot_chat('resume_bot_chat', p_provider, p_chat_id);
  perform outrider.require_flag('resume_bot_chat', 'dry_run', p_dry_run);
  perform outrider.require_operator('resume_bot_chat', p_operator, p_reason);
  perform outrider.require_time('resume_bot_chat', p_now);

  select s.* into v_state from outrider.bot_state s
  where s.workspace_id = p_workspace_id and s.provider = p_provider and s.chat_id = p_chat_id
  for no key update;
  v_refusal := case
    when not found then 'there is no such chat'
    when coalesce(v_state.handed_over_until <= p_now, true) then 'it is not handed over: the bot answers in it'
  end;
  if v_refusal is null and not p_dry_run then
    update outrider.bot_state s set handed_over_at = null, handed_over_until = null, updated_at = p_now
    where s.workspace_id = p_workspace_id and s.provider = p_provider and s.chat_id = p_chat_id;
    perform outrider.write_channel_event(p_workspace_id, null, 'bot_chat_resumed',
      jsonb_build_object('operator', p_operator, 'reason', p_reason, 'provider', p_provider, 'chat_id', p_chat_id,
        'handed_over_at', v_state.handed_over_at), p_now);
  end if;
  return query select p_provider, p_chat_id, v_refusal is null, v_refusal;
end;
$$;

comment on function outrider.resume_bot_chat is $doc$Lets the bot answer again in a chat that was handed over to a person.

p_dry_run: only says what it would do.
Concurrency: waits for a turn of the chat that is under way.
Returns: one row; when it was refused, `note` says why.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.resume_bot_chat to outrider_worker;
