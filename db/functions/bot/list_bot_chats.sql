create or replace function outrider.list_bot_chats(
  p_workspace_id text,
  p_handed_over boolean default null,
  p_chat_id text default null,
  p_limit integer default 50,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    provider text,
    chat_id text,
    state text,
    context jsonb,
    opened_by text,
    expires_at timestamptz,
    handed_over_at timestamptz,
    handed_over_until timestamptz,
    updated_at timestamptz,
    waiting_replies bigint
  )
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
begin
  perform outrider.require_workspace('list_bot_chats', p_workspace_id);
  perform outrider.require_count('list_bot_chats', p_limit, 1000);
  perform outrider.require_time('list_bot_chats', p_now);
  if p_chat_id is not null then
    perform outrider.require_text('list_bot_chats', 'chat_id', p_chat_id, 256);
  end if;

  return query
  select s.provider, s.chat_id, s.state, outrider.mask_json(outrider.masked_bot_context(s)), s.opened_by, s.expires_at, s.handed_over_at,
    s.handed_over_until, s.updated_at, (
      select count(*) from outrider.bot_outbox o
      where o.workspace_id = s.workspace_id and o.provider = s.provider and o.chat_id = s.chat_id and o.status in ('waiting', 'sending'))
  from outrider.bot_state s
  where s.workspace_id = p_workspace_id
    and (p_chat_id is null or (s.chat_id = p_chat_id and s.provider = any (array(select p.platform from outrider.platforms p))))
    and (p_handed_over is null or p_handed_over = coalesce(s.handed_over_until > p_now, false))
  order by s.updated_at desc, s.provider, s.chat_id
  limit p_limit;
end;
$$;

comment on function outrider.list_bot_chats is $doc$The chats of a workspace's bots, the latest first, and where each stands.

p_handed_over: only those that a person looks after, or only the others; null: all.
p_chat_id: only chats with this id, one for each platform that has it; null: all.
Returns: `context` is masked; `waiting_replies` counts replies that are not sent yet.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_bot_chats to outrider_reader;
