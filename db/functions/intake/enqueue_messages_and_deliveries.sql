create or replace function outrider.enqueue_messages_and_deliveries(
  p_workspace_id text,
  p_endpoint_id text,
  p_kind outrider.ingest_kind,
  p_raw_payload jsonb,
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
  v_settings := outrider.require_intake('enqueue_messages_and_deliveries', p_workspace_id, p_now);
  if p_kind is null then
    raise exception using errcode = 'OR001',
      message = 'enqueue_messages_and_deliveries: kind is missing; it is push or pull';
  end if;
  v_fault := outrider.payload_fault(p_raw_payload); -- before its receipt is written
  if v_fault is not null then
    raise exception using errcode = 'OR001',
      message = 'enqueue_messages_and_deliveries: raw_payload cannot be taken in: ' || v_fault;
  end if;
  if p_endpoint_id is not null then
    v_endpoint := outrider.find_posting_endpoint(
      'enqueue_messages_and_deliveries', p_workspace_id, p_endpoint_id, p_raw_payload ->> 'source_ref');
  end if;
  return (outrider.take_post(v_settings, v_endpoint, p_kind, p_raw_payload, p_raw_payload, null, p_now)).enqueued;
end;
$$;

comment on function outrider.enqueue_messages_and_deliveries is $doc$Takes in one post: normalises, hashes and tags it, keeps the message, routes it, renders and checks it for each
channel, and queues it where it is not a repeat. All of this is one transaction: there is no receipt without its
message.

With p_endpoint_id the receipt of the endpoint is written first, and a repeat is dropped before anything is kept.
Without it (a command, a program of your own) there is no receipt, and the dedup windows alone decide.
Returns: {run_id, verdict: "accepted", message_id, trace_id, seen, channels: [verdicts]}, or {run_id,
verdict: "dedup_dropped", received_at} for a repeat.
Raises: OR001 with what is wrong in the post and where, OR002, OR003.$doc$;

grant execute on function outrider.enqueue_messages_and_deliveries to outrider_ingest;
