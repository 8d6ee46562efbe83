create or replace function outrider.explain_post(
  p_workspace_id text,
  p_search text,
  p_channel_id text default null,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    message_id text,
    delivery_id text,
    channel_id text,
    status text,
    because text,
    until timestamptz,
    detail jsonb,
    advice text
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
declare
  v_message outrider.messages;
  v_found uuid[];
  v_channels text[];
  v_itself outrider.explanation[];
begin
  perform outrider.require_workspace('explain_post', p_workspace_id);
  perform outrider.require_time('explain_post', p_now);
  perform outrider.require_text('explain_post', 'search', p_search, 4096);
  if p_channel_id is not null then
    perform outrider.require_text('explain_post', 'channel_id', p_channel_id, 128);
  end if;
  v_channels := outrider.channels_named('explain_post', p_workspace_id,
    case when p_channel_id is not null then array[p_channel_id] end, p_now);

  v_found := array(select f.message_id from outrider.posts_found(p_workspace_id, p_search, 20) f order by f.place);
  select x.* into v_message
  from (select y.* from outrider.messages y where y.message_id = v_found[1] offset 0) x -- see next_steps
  where x.workspace_id = p_workspace_id;
  if v_message.message_id is null then
    v_itself := outrider.explain_absent(p_workspace_id, p_search, p_now);
  else
    v_itself := outrider.explain_post_itself(v_message) || array(
      select outrider.say('no_channels', null, jsonb_build_object('workspace_id', p_workspace_id))
      where outrider.channels_of(p_workspace_id) = '{}') || array(
      select outrider.say('others_fit', null, jsonb_build_object(
        'others', case cardinality(v_found) when 2 then '1 other post fits'
          else format('%s other posts fit', cardinality(v_found) - 1) end,
        'ids', (select string_agg(format('`%s`', i.id), ', ' order by i.n) from unnest(v_found[2:6]) with ordinality as i (id, n))))
      where cardinality(v_found) > 1);
  end if;

  return query
  select
    v_message.message_id::text, (r.delivery).delivery_id::text, r.channel_id,
    coalesce((r.delivery).status::text, 'not_routed'), e.because, e.until, e.detail, e.advice
  from (
    select c.channel_id, c as channel, outrider.latest_delivery(p_workspace_id, v_message.message_id, c.channel_id) as delivery
    from outrider.channels c
    where v_message.message_id is not null and c.workspace_id = p_workspace_id
      and c.channel_id = any (v_channels)
    offset 0
  ) r
  cross join lateral unnest(
    case when (r.delivery).delivery_id is null and v_message.seen_count > 1
        and cardinality(outrider.explain_repeat(v_message, r.channel_id, r.delivery)) > 0 then '{}'
      when (r.delivery).delivery_id is null then array[outrider.explain_unrouted(v_message, r.channel, p_now)]
      else outrider.explain_one(r.delivery, p_now) end
    || outrider.explain_repeat(v_message, r.channel_id, r.delivery)
  ) with ordinality as e (because, until, detail, advice, n)
  order by r.channel_id, e.n;

  return query
  select v_message.message_id::text, null, null, null, e.because, e.until, e.detail, e.advice
  from unnest(v_itself) with ordinality as e (because, until, detail, advice, n)
  order by e.n;
end;
$$;

comment on function outrider.explain_post is $doc$What became of a post in each channel, and why, in sentences; or why nothing of it is there.

p_search: an id of a message or of one of its deliveries (whole, or its beginning), its source_ref, the name of an item of a pull
source, its exact text, or a part of its title or text. All but the last are found by indexes, however old the post is;
a part of a text is looked for in the newest 2,000 posts of the workspace. 4,096 characters at most. Of several posts that
fit, the newest of those that fit best is explained, and a row says which others there are (others_fit).
p_channel_id: only that channel, or several by a pattern, in which * stands for any characters and ? for one; null: every
channel of the workspace.
Returns: rows by channel, those of one channel with the main reason first, as explain_delivery has them; `status` is
that of the latest delivery, or not_routed. Rows about the post as a whole follow, without a channel. Where nothing fits,
there are only such rows, and message_id is null: it never came in, or was refused at intake, as far as that is on record.
Raises: OR001, OR002 when the workspace has no such channel, OR003.$doc$;

grant execute on function outrider.explain_post to outrider_reader;
