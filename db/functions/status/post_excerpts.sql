create or replace function outrider.post_excerpts(
  p_workspace_id text,
  p_message_ids uuid[],
  p_now timestamptz default clock_timestamp()
)
  returns table (
    message_id uuid,
    excerpt text
  )
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
begin
  perform outrider.require_workspace('post_excerpts', p_workspace_id);
  perform outrider.require_list('post_excerpts', 'message_ids', p_message_ids, p_now);

  return query
  select m.message_id, outrider.post_excerpt(m.payload)
  from unnest(p_message_ids) with ordinality as i (message_id, place)
  cross join lateral (
    select x.message_id, x.workspace_id, x.payload, x.created_at from outrider.messages x
    where x.message_id = i.message_id
    offset 0 -- by the id alone, see next_steps
  ) m
  where m.workspace_id = p_workspace_id and m.created_at <= p_now
  order by i.place;
end;
$$;

comment on function outrider.post_excerpts is $doc$The beginnings of posts, for a list of their deliveries.

p_message_ids: 1 to 10,000.
Returns: a row for each message of the workspace, in their order. `excerpt` is the beginning of the post's title or text, without the
markup of a platform; it is masked.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.post_excerpts to outrider_reader;
