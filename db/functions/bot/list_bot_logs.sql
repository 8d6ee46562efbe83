create or replace function outrider.list_bot_logs(
  p_workspace_id text,
  p_provider text default null,
  p_chat_id text default null,
  p_actions text[] default null,
  p_since timestamptz default null,
  p_until timestamptz default null,
  p_limit integer default 50,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    ts timestamptz,
    provider text,
    chat_id text,
    action text,
    message_text text,
    matched_rule_id text,
    rule_version integer,
    state_before text,
    state_after text,
    response_preview text,
    reply_id uuid,
    reply_status text,
    meta jsonb
  )
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_within tstzrange;
begin
  perform outrider.require_workspace('list_bot_logs', p_workspace_id);
  perform outrider.require_time('list_bot_logs', p_now);
  v_within := outrider.require_listing('list_bot_logs', null, p_since, p_until, p_limit);
  if p_chat_id is not null or p_provider is not null then
    perform outrider.require_bot_chat('list_bot_logs', p_provider, coalesce(p_chat_id, '-'));
  end if;
  if array_ndims(p_actions) <> 1 or cardinality(p_actions) not between 1 and 100 or not p_actions <@ array[
    'matched', 'asked_again', 'clarified', 'fell_back', 'escalated', 'silent', 'retry', 'failed', 'dead', 'lease_expired']
  then
    raise exception using errcode = 'OR001', message =
      'list_bot_logs: actions must hold some of matched, asked_again, clarified, fell_back, escalated, silent, retry, failed, dead, lease_expired';
  end if;

  return query
  select l.ts, l.provider, l.chat_id, l.action, l.message_text, l.matched_rule_id, l.rule_version, l.state_before, l.state_after,
    l.response_preview, o.reply_id, o.status, l.meta
  from outrider.bot_logs l
  left join outrider.bot_outbox o on o.workspace_id = l.workspace_id and o.reply_id = (l.meta ->> 'idempotency_key')::uuid
  where l.workspace_id = p_workspace_id
    and (p_provider is null or l.provider = p_provider) and (p_chat_id is null or l.chat_id = p_chat_id)
    and (p_actions is null or l.action = any (p_actions))
    and (p_since is null or l.ts >= p_since) and (p_until is null or l.ts < p_until)
    and l.ts <@ v_within
  order by l.ts desc, l.id desc
  limit p_limit;
end;
$$;

comment on function outrider.list_bot_logs is $doc$What the bots of a workspace did, the latest first: of one chat (p_provider and p_chat_id), of some actions, within a span
of time. Texts are masked.

Returns: `reply_id` and `reply_status` (waiting, sending, sent, failed, dead) of the reply, while it is kept.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_bot_logs to outrider_reader;
