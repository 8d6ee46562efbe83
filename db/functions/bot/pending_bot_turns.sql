create or replace function outrider.pending_bot_turns(p_limit integer, p_now timestamptz default clock_timestamp())
  returns table (workspace_id text, provider text, chat_id text, provider_message_id text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  perform outrider.require_count('pending_bot_turns', p_limit, 10000);
  perform outrider.require_time('pending_bot_turns', p_now);

  return query
  select distinct on (i.workspace_id, i.provider, i.chat_id) i.workspace_id, i.provider, i.chat_id, i.provider_message_id
  from outrider.bot_inbox i
  join outrider.workspaces w on w.workspace_id = i.workspace_id and w.status <> 'disabled'
  where i.turn_at is null and i.received_at <= p_now - interval '2 seconds'
  order by i.workspace_id, i.provider, i.chat_id, date_trunc('second', i.ts) desc, i.seq desc
  limit p_limit;
end;
$$;

comment on function outrider.pending_bot_turns is $doc$Updates that were recorded two seconds ago or earlier and whose turns were not done, because a process died between the
two. Of each chat it names the latest; run_bot_turn does the earlier ones with it.

Raises: OR001.$doc$;

grant execute on function outrider.pending_bot_turns to outrider_service;
