create or replace function outrider.take_bot_update(
  p_workspace_id text,
  p_endpoint_id text,
  p_provider text,
  p_update jsonb,
  p_trace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns table (verdict text, chat_id text, provider_message_id text, note text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_update jsonb;
  v_ts timestamptz;
  v_platform text;
begin
  perform outrider.require_workspace('take_bot_update', p_workspace_id);
  perform outrider.require_time('take_bot_update', p_now);
  perform outrider.require_text('take_bot_update', 'endpoint_id', p_endpoint_id, 64);
  perform outrider.require_text('take_bot_update', 'trace_id', p_trace_id, 256);
  perform outrider.require_bot_update('take_bot_update', p_update);
  chat_id := p_update ->> 'chat_id';
  provider_message_id := p_update ->> 'provider_message_id';
  perform outrider.require_bot_chat('take_bot_update', p_provider, chat_id);
  begin
    v_ts := coalesce((p_update ->> 'ts')::timestamptz, p_now);
  exception
    when data_exception then
      raise exception using errcode = 'OR001', message = 'take_bot_update: ts of the update is no time';
  end;
  -- A time that lies ahead, or a wrong one, must not put a message before others of its chat for ever.
  v_ts := greatest(p_now - interval '1 day', least(v_ts, p_now));

  select b.platform into v_platform
  from outrider.workspace_endpoints e
  left join outrider.credential_bindings b on b.workspace_id = e.workspace_id and b.auth_ref = e.auth_ref
  where e.workspace_id = p_workspace_id and e.endpoint_id = p_endpoint_id and e.kind = 'bot_webhook';
  if not found then
    raise exception using errcode = 'OR002',
      message = format('take_bot_update: workspace "%s" has no bot endpoint "%s"', left(p_workspace_id, 64), left(p_endpoint_id, 64));
  end if;
  if v_platform <> p_provider then
    verdict := 'ignored';
    note := format('the endpoint answers with a credential of %s', v_platform);
    return next;
    return;
  end if;

  v_update := outrider.require_bot_input('take_bot_update', 'update', p_update);
  insert into outrider.bot_inbox
    (workspace_id, provider, chat_id, provider_message_id, endpoint_id, kind, text, payload, sender, callback_id, trace_id, ts, received_at)
  values (
    p_workspace_id, p_provider, take_bot_update.chat_id, take_bot_update.provider_message_id, p_endpoint_id, v_update ->> 'kind',
    v_update ->> 'text', v_update ->> 'payload', coalesce(nullif(v_update -> 'sender', 'null'), '{}'), v_update ->> 'callback_id', p_trace_id,
    v_ts, p_now)
  on conflict on constraint bot_inbox_pkey do nothing;
  verdict := case when found then 'taken' else 'repeated' end;
  return next;
end;
$$;

comment on function outrider.take_bot_update is $doc$Records what somebody wrote to a bot, once: a repeat of the same update changes nothing. Call it after admit_ingress, and
run_bot_turn after it, in the same transaction or later.

p_update: {chat_id, provider_message_id, kind: message | button | started, text?, payload?, sender?, callback_id?, ts?}. A
text is cut after 4096 characters.
Concurrency: of several calls with the same update one takes it; the others wait for it and find it taken.
Returns: one row. `verdict` is taken, repeated (there is nothing to do), or ignored: `note` says why.
Raises: OR001, OR002 (also for an endpoint that is no bot's), OR003.$doc$;

grant execute on function outrider.take_bot_update to outrider_ingest;
