create or replace function outrider.find_messages(p_workspace_id text, p_part text)
  returns table (message_id uuid, created_at timestamptz, text text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_span record;
begin
  perform outrider.require_workspace('find_messages', p_workspace_id);
  v_span := outrider.id_span('find_messages', p_part);

  return query
  select m.message_id, m.created_at, left(coalesce(m.payload ->> 'title', m.payload ->> 'text'), 80)
  from (
    select x.* from outrider.messages x
    where x.message_id >= v_span.first and x.message_id <= v_span.last
    limit 10000
  ) m
  where m.workspace_id = p_workspace_id
  order by m.created_at desc, m.message_id desc
  limit 10;
end;
$$;

comment on function outrider.find_messages is $doc$The messages of a workspace whose ids begin with p_part, for users who write only the beginning of an id. The first
10,000 such ids of all workspaces are searched.

Returns: at most 10, the newest first, with the beginning of their text.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.find_messages to outrider_reader;
