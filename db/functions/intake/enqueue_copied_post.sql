create or replace function outrider.enqueue_copied_post(
  p_workspace_id text,
  p_endpoint_id text,
  p_raw_payload jsonb,
  p_received jsonb,
  p_now timestamptz default clock_timestamp()
)
  returns json
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_settings outrider.intake_settings;
  v_endpoint outrider.workspace_endpoints;
  v_fault text;
begin
  v_settings := outrider.require_intake('enqueue_copied_post', p_workspace_id, p_now);
  perform outrider.require_text('enqueue_copied_post', 'endpoint_id', p_endpoint_id, 64);
  if coalesce(jsonb_typeof(p_received) <> 'object', true)
    or nullif(p_received ->> 'source_ref', '') is distinct from nullif(p_raw_payload ->> 'source_ref', '')
  then
    raise exception using errcode = 'OR001',
      message = 'enqueue_copied_post: received must be the post as it came, with the source_ref of raw_payload';
  end if;
  v_fault := outrider.payload_fault(p_raw_payload); -- before its receipt is written
  if v_fault is not null then
    raise exception using errcode = 'OR001',
      message = 'enqueue_copied_post: raw_payload cannot be taken in: ' || v_fault;
  end if;
  v_endpoint := outrider.find_posting_endpoint(
    'enqueue_copied_post', p_workspace_id, p_endpoint_id, p_raw_payload ->> 'source_ref');
  return (outrider.take_post(v_settings, v_endpoint, 'push', p_raw_payload, p_received, null, p_now)).enqueued;
end;
$$;

comment on function outrider.enqueue_copied_post is $doc$Takes in one post whose media were copied, as enqueue_messages_and_deliveries does. The receipt is that of the post as
it came: a repeat with the same links is known by drop_repeated_push before they are fetched again.

p_raw_payload: the post, with a blob_ref for each link that was copied.
p_received: the post as it came.
Returns: as enqueue_messages_and_deliveries.
Raises: OR001 with what is wrong in the post and where, OR002, OR003.$doc$;

grant execute on function outrider.enqueue_copied_post to outrider_ingest;
