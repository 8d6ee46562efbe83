-- Does one turn: decides it, queues the reply, moves the chat on, and writes it to bot_logs, masked.
--
-- The reply waits behind those of its chat that have not ended, and for the pace of the chat. Where the bot is silent, a
-- pressed button is still answered, so that it does not look pressed for ever. An endpoint without a credential can answer
-- nothing.
-- p_place: counts the turns of one moment. p_decided: what to do, as bot_turn says it; null: as bot_turn decides.
-- Concurrency: the chat is locked by the caller.
-- Returns: as bot_turn, with `reply_id`.
create or replace function outrider.take_bot_turn(
  p_update outrider.bot_inbox,
  p_state outrider.bot_state,
  p_settings outrider.workspace_settings,
  p_place integer,
  p_decided jsonb,
  p_now timestamptz
)
  returns jsonb
  language plpgsql
  volatile
as $$
declare
  v_input constant jsonb := jsonb_build_object('kind', p_update.kind, 'text', p_update.text, 'payload', p_update.payload,
    'sender', p_update.sender, 'provider', p_update.provider);
  v_turn jsonb;
  v_reply jsonb;
  v_after outrider.bot_state;
  v_contacts jsonb;
  v_auth_ref text;
  v_reply_id uuid;
begin
  v_turn := coalesce(p_decided, outrider.bot_turn(p_state, v_input, p_settings, null, p_now));
  v_reply := coalesce(nullif(v_turn -> 'reply', 'null'), '{}');
  select e.auth_ref into v_auth_ref from outrider.workspace_endpoints e
  where e.workspace_id = p_update.workspace_id and e.endpoint_id = p_update.endpoint_id;

  if v_turn -> 'reply' <> 'null' and v_auth_ref is null then
    v_turn := v_turn || jsonb_build_object('verdict', 'silent', 'why', (v_turn ->> 'why') || '; the endpoint names no credential to answer with');
  elsif v_auth_ref is not null and (v_turn -> 'reply' <> 'null' or p_update.callback_id is not null) then
    insert into outrider.bot_outbox
      (workspace_id, reply_id, provider, chat_id, inbound_provider_message_id, endpoint_id, auth_ref, rate_group, reply,
       response_hash, callback_id, trace_id, due_at, attempt_limit, created_at)
    select
      p_update.workspace_id, (outrider.id_prefix(p_now) || '00000000')::uuid, p_update.provider, p_update.chat_id,
      p_update.provider_message_id, p_update.endpoint_id, v_auth_ref, outrider.credential_group(p_update.workspace_id, v_auth_ref),
      v_reply, encode(sha256(convert_to(v_reply::text, 'UTF8')), 'hex'), p_update.callback_id, p_update.trace_id,
      case when not exists (
        select from outrider.bot_outbox o
        where o.workspace_id = p_update.workspace_id and o.provider = p_update.provider and o.chat_id = p_update.chat_id
          and o.status in ('waiting', 'sending')
      ) then greatest(p_now, case when v_reply <> '{}' then p_state.next_reply_at end) end,
      p_settings.max_attempts, p_now
    on conflict on constraint one_reply_for_each_update do nothing
    returning reply_id into v_reply_id;
  end if;

  v_after := jsonb_populate_record(p_state, v_turn -> 'state');
  update outrider.bot_state s
  set state = v_after.state, context = v_after.context, opened_by = v_after.opened_by, expires_at = v_after.expires_at,
      handed_over_at = v_after.handed_over_at, handed_over_until = v_after.handed_over_until, updated_at = p_now
  where s.workspace_id = p_update.workspace_id and s.provider = p_update.provider and s.chat_id = p_update.chat_id;
  update outrider.bot_inbox i set turn_at = p_now
  where i.workspace_id = p_update.workspace_id and i.provider = p_update.provider and i.chat_id = p_update.chat_id
    and i.provider_message_id = p_update.provider_message_id;
  v_contacts := outrider.bot_contacts(p_update.workspace_id, v_turn ->> 'rule_id', p_update.text, jsonb_build_object('values',
    coalesce(p_state.context -> 'values', '{}') || coalesce(v_turn #> '{context_after,values}', '{}')));
  insert into outrider.bot_logs
    (workspace_id, id, ts, provider, chat_id, action, message_text, matched_rule_id, rule_version, state_before, state_after,
     response_preview, meta)
  values (
    p_update.workspace_id,
    -- Turns of the same moment stay in their order.
    (lpad(to_hex((extract(epoch from p_now) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(least(p_place, 4095)), 3, '0') || '8000'
      || lpad(to_hex(p_update.seq), 12, '0'))::uuid,
    p_now, p_update.provider, p_update.chat_id, v_turn ->> 'action', left(outrider.mask_bot_contacts(p_update.text, v_contacts), 1000),
    v_turn ->> 'rule_id', (v_turn ->> 'version')::integer,
    v_turn ->> 'state_before', v_turn ->> 'state_after', left(outrider.mask_bot_contacts(v_turn #>> '{reply,text}', v_contacts), 500),
    outrider.mask_json(jsonb_strip_nulls(jsonb_build_object(
      'trace_id', p_update.trace_id, 'idempotency_key', v_reply_id, 'kind', p_update.kind,
      'payload', outrider.mask_bot_text(p_update.payload),
      'provider_message_id', p_update.provider_message_id, 'why', v_turn -> 'why', 'next_best', v_turn -> 'next_best'))));
  if v_turn -> 'escalate' = 'true' then
    perform outrider.tell_of_handover(p_update, v_turn ->> 'why', p_now);
  end if;
  return v_turn || jsonb_build_object('reply_id', v_reply_id);
end;
$$;
