-- Keeps a message: one row for each content, always with the payload, tags and source that were seen first. Tags that
-- differ from those are recorded as an event, not kept. Only a message that a contact was erased from is replaced: somebody
-- who sends the same post again means it as it is.
--
-- Concurrency: the content's row is locked until the transaction ends, so that two runs with the same content
-- come one after the other, and the second sees what the first queued. A run keeps its messages in the order of
-- their hashes.
-- p_payload: the post, normalised.
-- Returns: the message as it is kept.
create or replace function outrider.keep_message(
  p_workspace_id text,
  p_run_id text,
  p_raw jsonb,
  p_payload jsonb,
  p_content_hash text,
  p_trace_id text,
  p_now timestamptz
)
  returns outrider.messages
  language plpgsql
  volatile
as $$
declare
  v_new constant outrider.messages := outrider.new_message(p_workspace_id, (outrider.id_prefix(p_now) || '00000001')::uuid,
    p_run_id, p_raw, p_payload, p_content_hash, p_trace_id, p_now);
  v_message outrider.messages;
begin
  insert into outrider.messages as m values (v_new.*)
  on conflict (workspace_id, hash_version, content_hash) do update
  set last_seen_at = greatest(m.last_seen_at, excluded.last_seen_at),
      last_ingest_run_id = excluded.last_ingest_run_id, seen_count = m.seen_count + 1
  returning m.* into v_message;

  if v_message.erased_at is not null then
    update outrider.messages m
    set payload = v_new.payload, tags = v_new.tags, source = v_new.source, source_ref = v_new.source_ref, erased_at = null
    where m.workspace_id = p_workspace_id and m.message_id = v_message.message_id
    returning m.* into v_message;
  end if;
  if v_message.tags <> v_new.tags then
    insert into outrider.event_log (workspace_id, id, message_id, ts, action, attempt, result, meta)
    values (
      p_workspace_id, gen_random_uuid(), v_message.message_id, p_now, 'message_tag_mismatch', 0, 'ok',
      outrider.mask_json(jsonb_build_object(
        'trace_id', p_trace_id, 'run_id', p_run_id, 'kept_tags', v_message.tags, 'other_tags', v_new.tags))
    );
  end if;
  return v_message;
end;
$$;
