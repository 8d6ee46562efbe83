-- Takes in a post without faults: writes its receipt, its message and deliveries, and its run.
--
-- p_endpoint: the endpoint that the post came to. Its receipt is written first, and a repeat is dropped before anything
-- is kept. Null: there is no endpoint and no receipt.
-- p_received: the post as it came, which the receipt is of: before its media were copied, if they were.
-- p_claimer: who claims at once what can be sent now; see queue_message. Null: nobody.
-- Plans: its callers set how queries are planned, also for all the functions that it calls.
-- Returns: `enqueued` as enqueue_messages_and_deliveries answers, `claimed` as queue_message does.
create or replace function outrider.take_post(
  p_settings outrider.intake_settings,
  p_endpoint outrider.workspace_endpoints,
  p_kind outrider.ingest_kind,
  p_raw_payload jsonb,
  p_received jsonb,
  p_claimer text,
  p_now timestamptz,
  out enqueued json,
  out claimed json
)
  language plpgsql
  volatile
as $$
declare
  v_run_id text := gen_random_uuid()::text;
  v_earlier timestamptz;
  v_payload jsonb;
  v_trace_id text;
  v_message outrider.messages;
  v_queued record;
begin
  if p_endpoint.endpoint_id is not null then
    v_earlier := outrider.take_receipt(p_endpoint, p_settings.ingress_receipts_retention, p_received, p_now);
    if v_earlier is not null then
      v_run_id := outrider.drop_ingress(p_endpoint, 'ingress_dedup_dropped', 'dedup_dropped',
        jsonb_build_object('source_ref', nullif(p_raw_payload ->> 'source_ref', ''), 'trace_id', p_raw_payload ->> 'trace_id',
          'received_at', v_earlier), p_now);
      enqueued := json_build_object('run_id', v_run_id, 'verdict', 'dedup_dropped', 'received_at', v_earlier);
      return;
    end if;
  end if;

  v_payload := outrider.normalize_payload(p_raw_payload);
  v_trace_id := coalesce(outrider.mask_text(p_raw_payload ->> 'trace_id'), gen_random_uuid()::text);
  v_message := outrider.keep_message(p_settings.workspace_id, v_run_id, p_raw_payload, v_payload,
    outrider.content_hash(v_payload), v_trace_id, p_now);
  if v_payload ? 'media' then
    perform outrider.note_media(p_settings.workspace_id, array[v_message.message_id],
      array[v_message.first_ingest_run_id is distinct from v_run_id], p_now);
  end if;
  v_queued := outrider.queue_message(p_settings, v_run_id, v_message, v_trace_id,
    (p_raw_payload ->> 'scheduled_for')::timestamptz, p_claimer, p_now);
  v_run_id := outrider.record_run(p_settings.workspace_id, v_run_id, p_kind,
    outrider.run_stats(1, 0, v_queued.counts) || jsonb_strip_nulls(jsonb_build_object('endpoint_id', p_endpoint.endpoint_id)), p_now);
  enqueued := v_queued.verdict;
  claimed := v_queued.claimed;
end;
$$;
