-- Takes in the posts of one run: writes messages, deliveries and events. A post with a fault is answered with that
-- fault; the others are taken in all the same.
--
-- p_faults: the payload_fault of each post.
-- Concurrency: locks contents in the order of their hashes (keep_message), then media. The deliveries are made after
-- that, in the order of the posts, because they are sent in the order in which they were made.
-- Plans: its callers set how queries are planned, also for all the functions that it calls.
-- Returns: `verdicts` has one object for each post, in order: {run_id, verdict: "accepted", message_id, trace_id,
-- seen, channels: [the verdict on each]}, with repeats_item instead of channels where the post repeats another
-- one of the run; or {run_id, verdict: "rejected", reason}. `stats` counts.
create or replace function outrider.enqueue_items(
  p_settings outrider.intake_settings,
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
  v_post record;
  v_message outrider.messages;
  v_twin integer;
  v_messages outrider.messages[] := array_fill(null::outrider.messages, array[cardinality(p_posts)]);
  v_known boolean[] := array_fill(null::boolean, array[cardinality(p_posts)]);
  v_trace_ids text[] := array_fill(null::text, array[cardinality(p_posts)]);
  v_queued record;
  v_counts integer[] := array[0, 0, 0, 0];
begin
  verdicts := array_fill(null::json, array[cardinality(p_posts)]);
  message_ids := array_fill(null::uuid, array[cardinality(p_posts)]);

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
    v_message := outrider.keep_message(p_settings.workspace_id, p_run_id, v_post.raw, v_post.payload, v_post.content_hash,
      v_trace_ids[v_post.item], p_now);
    v_twin := array_position(message_ids, v_message.message_id);
    v_messages[v_post.item] := v_message;
    message_ids[v_post.item] := v_message.message_id;
    v_known[v_post.item] := v_message.first_ingest_run_id is distinct from p_run_id;
    if v_twin is not null then
      verdicts[v_post.item] := json_build_object('run_id', p_run_id, 'verdict', 'accepted', 'message_id', v_message.message_id,
        'trace_id', v_trace_ids[v_post.item], 'seen', 'before', 'repeats_item', v_twin);
    end if;
  end loop;

  if exists (select from unnest(p_posts) as p (raw) where p.raw ? 'media') then
    perform outrider.note_media(p_settings.workspace_id, message_ids, v_known, p_now);
  end if;

  for v_item in 1 .. cardinality(p_posts) loop
    continue when verdicts[v_item] is not null;
    v_queued := outrider.queue_message(p_settings, p_run_id, v_messages[v_item], v_trace_ids[v_item],
      (p_posts[v_item] ->> 'scheduled_for')::timestamptz, null, p_now);
    verdicts[v_item] := v_queued.verdict;
    for v_n in 1 .. 4 loop
      v_counts[v_n] := v_counts[v_n] + v_queued.counts[v_n];
    end loop;
  end loop;

  stats := outrider.run_stats(cardinality(array_remove(message_ids, null)),
    cardinality(p_posts) - cardinality(array_remove(message_ids, null)), v_counts);
end;
$$;
