create or replace function outrider.preview_post(
  p_workspace_id text,
  p_endpoint_id text,
  p_raw_payload jsonb,
  p_copies_links boolean default true,
  p_now timestamptz default clock_timestamp()
)
  returns json
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_endpoint outrider.workspace_endpoints;
  v_fault text;
  v_earlier timestamptz;
  v_message outrider.messages;
  v_is_known boolean;
  v_judged record;
  v_channels outrider.judged_channel[];
  v_hours integer;
  v_trace outrider.message_traces;
  v_posts outrider.composed_post[];
begin
  perform outrider.require_intake('preview_post', p_workspace_id, p_now);
  perform outrider.require_flag('preview_post', 'copies_links', p_copies_links);
  if coalesce(jsonb_typeof(p_raw_payload) <> 'object', true) then
    raise exception using errcode = 'OR001', message = 'preview_post: raw_payload must be an object';
  end if;
  if p_endpoint_id is not null then
    v_endpoint := outrider.posting_endpoint('preview_post', p_workspace_id, p_endpoint_id);
  end if;
  v_fault := outrider.payload_fault(p_raw_payload);
  if v_fault is not null then
    return json_build_object('verdict', 'rejected', 'reason', v_fault);
  end if;
  if p_endpoint_id is not null then
    v_earlier := outrider.earlier_receipt(v_endpoint, p_raw_payload, p_now);
  end if;

  v_message := outrider.known_message(p_workspace_id, p_raw_payload, outrider.normalize_payload(p_raw_payload), p_now);
  v_is_known := v_message.message_id <> '00000000-0000-0000-0000-000000000000';
  if p_copies_links then
    v_message.payload := outrider.links_as_copies(v_message.payload);
  end if;
  v_judged := outrider.judge_channels(v_message, greatest(p_now, (p_raw_payload ->> 'scheduled_for')::timestamptz));
  v_channels := v_judged.channels;
  if v_is_known then
    v_channels := outrider.find_repeats(v_message, v_channels, p_now);
  end if;
  if v_judged.compares then
    v_hours := outrider.similar_hours(v_channels, v_judged.profiles);
    v_trace := outrider.trace_of(v_message);
    if v_hours is not null and v_trace.keys <> '{}' then
      v_channels := outrider.find_similar(v_message, v_channels, v_judged.profiles, v_trace, v_hours, p_now);
    end if;
  end if;
  -- Repeats are composed, too: whoever asks wants to see them.
  v_posts := outrider.compose_for_profiles(v_message, v_judged.channels, v_judged.profiles);

  return json_build_object(
    'verdict', case when v_earlier is null then 'accepted' else 'dedup_dropped' end, 'received_at', v_earlier,
    'message_id', case when v_is_known then v_message.message_id end,
    'seen', case when v_is_known then 'before' else 'first' end,
    'tags', v_message.tags, 'payload', v_message.payload,
    'media', outrider.media_for_send(p_workspace_id, v_message.payload, null),
    'channels', outrider.channels_as_json(v_message, v_channels, v_posts, p_now),
    'posts', outrider.posts_as_json(v_posts, v_judged.profiles));
end;
$$;

comment on function outrider.preview_post is $doc$Says what would become of a post if it were taken in now, and writes nothing: the verdict on each channel, and the
post as it is composed for it. The steps are those of enqueue_messages_and_deliveries.

p_endpoint_id: the endpoint that the post would come to, whose receipts tell whether it is a repeat. Null: none.
p_copies_links: media that are links count as copied into the origin store, as the HTTP interface and the commands copy
them; they are not fetched. False: they are judged as links, as enqueue_messages_and_deliveries takes them.
Concurrency: takes no lock and waits for nobody.
Returns: {verdict: "rejected", reason} for a post that cannot be taken in. Otherwise {verdict, received_at, message_id,
seen, tags, payload, media, channels, posts}. `verdict` is accepted, or dedup_dropped when the endpoint has taken the
post already (`received_at`); `message_id` is that of a message with the same content, whose tags count; `channels` has
the verdict on each channel as an enqueue answers it, without ids of deliveries, with the platform, the tags by which a
rule keeps the post out, the signs of a near duplicate, what a queued delivery would wait for (`next`, as in
show_delivery), and `profile`, its place in `posts`; `posts` has rendered_text, render_meta, template_version, fault
with its place (`fault_at`, in bytes of rendered_text), and the text that the platform counts with its length and limit.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.preview_post to outrider_ingest;
