-- Takes a post without faults in: its receipt, its message and deliveries, its run.
--
-- With p_endpoint_id the endpoint's receipt is taken first; a repeat is dropped before anything is kept.
-- Plans: its callers set how queries are planned, for all the functions that it is made of.
-- Returns, raises: as enqueue_messages_and_deliveries.
create or replace function outrider.take_post(
  p_workspace_id text,
  p_endpoint_id text,
  p_kind outrider.ingest_kind,
  p_raw_payload jsonb,
  p_now timestamptz
)
  returns json
  language plpgsql
  volatile
as $$
declare
  v_run_id text := gen_random_uuid()::text;
  v_earlier timestamptz;
  v_verdict json;
  v_stats jsonb;
begin
  if p_endpoint_id is not null then
    v_earlier := outrider.take_receipt(p_workspace_id, p_endpoint_id, p_raw_payload, p_now);
    if v_earlier is not null then
      v_run_id := outrider.drop_ingress(p_workspace_id, p_endpoint_id, 'ingress_dedup_dropped', 'dedup_dropped',
        jsonb_build_object('source_ref', nullif(p_raw_payload ->> 'source_ref', ''), 'trace_id', p_raw_payload ->> 'trace_id',
          'received_at', v_earlier), p_now);
      return json_build_object('run_id', v_run_id, 'verdict', 'dedup_dropped', 'received_at', v_earlier);
    end if;
  end if;

  select e.verdicts[1], e.stats into v_verdict, v_stats
  from outrider.enqueue_items(p_workspace_id, v_run_id, array[p_raw_payload], array[null::text], p_now) e;
  perform outrider.record_run(p_workspace_id, v_run_id, p_kind,
    v_stats || jsonb_strip_nulls(jsonb_build_object('endpoint_id', p_endpoint_id)), p_now);
  return v_verdict;
end;
$$;
