create or replace function outrider.list_posts(
  p_workspace_id text,
  p_since timestamptz,
  p_until timestamptz,
  p_limit integer
)
  returns table (message_id uuid, received_at timestamptz, post jsonb, media jsonb)
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
  v_fault text;
begin
  perform outrider.require_workspace('list_posts', p_workspace_id);
  v_fault := case
    when p_limit is null or p_limit not between 1 and 100000
      then format('limit is %s; 1 to 100000 are allowed', coalesce(p_limit::text, 'missing'))
    when not isfinite(p_since) then 'since is infinite'
    when not isfinite(p_until) then 'until is infinite'
    when p_since > p_until then format('since is %s, which is after until', p_since)
  end;
  if v_fault is not null then
    raise exception using errcode = 'OR001', message = format('list_posts: %s', v_fault);
  end if;

  return query
  select
    m.message_id, seen.at,
    jsonb_strip_nulls(m.payload - 'type' || jsonb_build_object(
      'tags', (select jsonb_agg(t.tag) from unnest(m.tags) with ordinality as t (tag, n) where t.n <= 100),
      'source', m.source)),
    case when m.payload ? 'media' then (
      select jsonb_object_agg(o.blob_ref, jsonb_build_object(
        'sha256', o.sha256, 'content_type', o.content_type, 'size_bytes', o.size_bytes, 'picture_hash', o.picture_hash))
      from jsonb_array_elements(m.payload -> 'media') as x (item)
      join outrider.media_origin o on o.workspace_id = p_workspace_id and o.blob_ref = x.item ->> 'blob_ref'
    ) end
  from (
    select y.message_id
    from outrider.messages y
    where y.workspace_id = p_workspace_id
      and y.created_at >= coalesce(p_since, '-infinity') and y.created_at < coalesce(p_until, 'infinity')
    order by y.created_at desc
    limit p_limit
  ) newest
  cross join lateral (
    select x.* from outrider.messages x
    where x.workspace_id = p_workspace_id and x.message_id = newest.message_id
    offset 0
  ) m
  cross join lateral (
    select m.created_at as at
    union
    select m.last_seen_at where m.seen_count > 1 and m.last_seen_at < coalesce(p_until, 'infinity')
  ) seen
  order by seen.at, m.message_id;
end;
$$;

comment on function outrider.list_posts is $doc$The latest posts of a workspace that first came in from p_since to p_until, as enqueue_batch takes them, in the order in
which they came: what a simulation or a replay begins with. null for p_since or p_until is no bound. Of more than p_limit
messages the newest are taken.

A message that came in several times is listed twice: when it first came, and when it last came. `media` has, by blob_ref,
what is known of the post's media in the origin store.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.list_posts to outrider_reader;
