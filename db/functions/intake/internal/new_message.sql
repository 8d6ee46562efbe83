-- A post as a message that nobody has seen before; keep_message keeps it.
--
-- p_raw: the post as it came. p_payload: the post, normalised.
create or replace function outrider.new_message(
  p_workspace_id text,
  p_message_id uuid,
  p_run_id text,
  p_raw jsonb,
  p_payload jsonb,
  p_content_hash text,
  p_trace_id text,
  p_now timestamptz
)
  returns outrider.messages
  language plpgsql
  immutable
as $$
declare
  v_message outrider.messages;
begin
  v_message.workspace_id := p_workspace_id;
  v_message.message_id := p_message_id;
  v_message.hash_version := outrider.hash_version();
  v_message.content_hash := p_content_hash;
  v_message.normalization_version := outrider.hash_version();
  v_message.payload := outrider.payload_to_send(p_payload, p_raw);
  v_message.tags := outrider.message_tags(p_payload, p_raw -> 'tags');
  v_message.source := nullif(p_raw -> 'source', 'null');
  v_message.source_ref := nullif(p_raw ->> 'source_ref', '');
  v_message.first_seen_trace_id := p_trace_id;
  v_message.first_ingest_run_id := p_run_id;
  v_message.last_seen_at := p_now;
  v_message.last_ingest_run_id := p_run_id;
  v_message.seen_count := 1;
  v_message.created_at := p_now;
  return v_message;
end;
$$;
