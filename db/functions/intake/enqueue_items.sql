-- Takes the posts of one run in: messages, deliveries, events. A post with a fault is answered with it and does
-- not keep the others out.
--
-- p_faults: what payload_fault says of each post.
-- Concurrency: locks contents in the order of their hashes, then media; see keep_message. Their deliveries are made
-- afterwards, in the order of the posts: they are sent in the order in which they were made.
-- Plans: its callers set how queries are planned, for all the functions that it is made of.
-- Returns: `verdicts` has one object for each post, in order: {run_id, verdict: "accepted", message_id, trace_id,
-- seen, channels: [the verdict on each]}, with repeats_item instead of channels where the post repeats another
-- one of the run; or {run_id, verdict: "rejected", reason}. `stats` counts.
create or replace function outrider.enqueue_items(
  p_workspace_id text,
  p_run_id text,
  p_posts jsonb[],
  p_faults text[],
  p_now timestamptz,
  out verdicts json[],
  out message_ids uuid[],
  out stats jsonb
)
  language plpgsql
  volatile
as $$
declare
  v_settings outrider.workspace_settings;
  v_message outrider.messages;
  v_messages outrider.messages[];
  v_known boolean[];
  v_twin integer;
  v_trace_ids text[];
  v_one record;
  v_post record;
  v_counts integer[] := array[0, 0, 0, 0];
begin
  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;
  verdicts := array_fill(null::json, array[cardinality(p_posts)]);
  message_ids := array_fill(null::uuid, array[cardinality(p_posts)]);
  v_messages := array_fill(null::outrider.messages, array[cardinality(p_posts)]);
  v_known := array_fill(null::boolean, array[cardinality(p_posts)]);
  v_trace_ids := array_fill(null::text, array[cardinality(p_posts)]);

  for v_post in
    select r.item, r.raw, r.fault, p.payload, outrider.content_hash(p.payload) as content_hash
    from unnest(p_posts, p_faults) with ordinality as r (raw, fault, item)
    cross join lateral (
      select case when r.fault is null then outrider.normalize_payload(r.raw) end as payload offset 0
    ) p
    order by content_hash, r.item
  loop
    if v_post.fault is not null then
      verdicts[v_post.item] := json_build_object('run_id', p_run_id, 'verdict', 'rejected', 'reason', v_post.fault);
      continue;
    end if;

    v_trace_ids[v_post.item] := coalesce(outrider.mask_text(v_post.raw ->> 'trace_id'), gen_random_uuid()::text);
    v_message := outrider.keep_message(
      p_workspace_id, p_run_id, v_post.raw, v_post.payload, v_post.content_hash, v_trace_ids[v_post.item], p_now);
    v_twin := array_position(message_ids, v_message.message_id);
    v_messages[v_post.item] := v_message;
    message_ids[v_post.item] := v_message.message_id;
    v_known[v_post.item] := v_message.first_ingest_run_id is distinct from p_run_id;
    if v_twin is not null then
      verdicts[v_post.item] := json_build_object('run_id', p_run_id, 'verdict', 'accepted', 'message_id', v_message.message_id,
        'trace_id', v_trace_ids[v_post.item], 'seen', 'before', 'repeats_item', v_twin);
    end if;
  end loop;

  for v_item in 1 .. cardinality(p_posts) loop
    continue when verdicts[v_item] is not null;
    v_one := outrider.queue_message(p_run_id, v_settings, v_messages[v_item], v_known[v_item], v_trace_ids[v_item],
      (p_posts[v_item] ->> 'scheduled_for')::timestamptz, p_now);
    v_counts := array[v_counts[1] + v_one.queued, v_counts[2] + v_one.deduped,
      v_counts[3] + v_one.validation_failed, v_counts[4] + v_one.not_routed];
    verdicts[v_item] := json_build_object('run_id', p_run_id, 'verdict', 'accepted', 'message_id', message_ids[v_item],
      'trace_id', v_trace_ids[v_item], 'seen', case when v_known[v_item] then 'before' else 'first' end,
      'channels', coalesce(v_one.verdicts, '[]'));
  end loop;

  if exists (select from unnest(p_posts) as p (raw) where p.raw ? 'media') then
    perform outrider.note_media(p_workspace_id, message_ids, v_known, p_now);
  end if;
  stats := jsonb_build_object(
    'accepted', cardinality(array_remove(message_ids, null)),
    'rejected', cardinality(p_posts) - cardinality(array_remove(message_ids, null)),
    'queued', v_counts[1], 'deduped', v_counts[2], 'validation_failed', v_counts[3], 'not_routed', v_counts[4]);
end;
$$;
