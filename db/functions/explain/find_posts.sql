create or replace function outrider.find_posts(
  p_workspace_id text,
  p_search text,
  p_limit integer default 20,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    message_id text,
    delivery_id text,
    channel_id text,
    status text,
    source_ref text,
    excerpt text,
    created_at timestamptz
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
  perform outrider.require_workspace('find_posts', p_workspace_id);
  perform outrider.require_text('find_posts', 'search', p_search, 4096);
  perform outrider.require_count('find_posts', p_limit, 1000);
  perform outrider.require_time('find_posts', p_now);

  return query
  select
    m.message_id::text, d.delivery_id::text, d.channel_id, d.status::text, outrider.mask_text(m.source_ref),
    outrider.post_excerpt(m.payload), m.created_at
  from outrider.posts_found(p_workspace_id, p_search, p_limit) f
  cross join lateral (
    select x.message_id, x.workspace_id, x.source_ref, x.payload, x.created_at from outrider.messages x
    where x.message_id = f.message_id
    offset 0 -- by the id alone, see next_steps
  ) m
  left join lateral (
    select y.delivery_id, y.channel_id, y.status, y.seq from outrider.deliveries y
    where y.workspace_id = p_workspace_id and y.message_id = m.message_id
    limit 1000
  ) d on true
  where m.workspace_id = p_workspace_id and m.created_at <= p_now
  order by f.place, d.delivery_id = f.delivery_id desc nulls last, d.channel_id, d.seq desc
  limit p_limit;
end;
$$;

comment on function outrider.find_posts is $doc$The posts of a workspace that somebody means, with what became of each, those that fit best first.

p_search: as explain_post takes it.
Returns: a row for each delivery of the posts found, at most p_limit, and at most 1,000 of a post; a post without deliveries has one row, with null in
their place. `excerpt` is the beginning of the title or text; it and source_ref are masked. `created_at` is when the post came in.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.find_posts to outrider_reader;
