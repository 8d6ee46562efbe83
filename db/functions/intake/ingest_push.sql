create or replace function outrider.ingest_push(
  p_secret_hash text,
  p_size_bytes bigint,
  p_raw_payload jsonb,
  p_trace_id text,
  p_claimer text default null,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    verdict text, workspace_id text, endpoint_id text, run_id text, retry_after_ms integer, max_payload_bytes integer,
    signing_secret_ref text, reason text, enqueued json, claimed json
  )
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
  v_post jsonb := p_raw_payload;
  v_trace_id text;
  v_claimer text;
  v_gate outrider.admission;
  v_endpoint outrider.workspace_endpoints;
  v_taken record;
begin
  if coalesce(jsonb_typeof(p_raw_payload) <> 'object', true) then
    raise exception using errcode = 'OR001', message = 'ingest_push: raw_payload must be an object';
  end if;
  if p_trace_id is not null then
    v_trace_id := outrider.require_text('ingest_push', 'trace_id', p_trace_id, 128);
    if p_raw_payload ->> 'trace_id' is null then
      v_post := p_raw_payload || jsonb_build_object('trace_id', v_trace_id);
    end if;
  end if;
  if p_claimer is not null then
    v_claimer := outrider.require_text('ingest_push', 'claimer', p_claimer, 200);
  end if;

  v_gate := outrider.admit_request('ingest_push', 'webhook_push', p_secret_hash, p_size_bytes, p_now);
  v_endpoint := v_gate.endpoint;
  verdict := v_gate.verdict;
  workspace_id := v_endpoint.workspace_id;
  endpoint_id := v_endpoint.endpoint_id;
  run_id := v_gate.run_id;
  retry_after_ms := v_gate.retry_after_ms;
  max_payload_bytes := v_endpoint.max_payload_bytes;
  signing_secret_ref := v_endpoint.signing_secret_ref;
  if verdict = 'admitted' then
    reason := outrider.payload_fault(v_post);
    if reason is not null then
      verdict := 'rejected';
      run_id := outrider.drop_ingress(v_endpoint, 'ingress_payload_rejected', 'payload_rejected',
        jsonb_build_object('reason', reason), p_now);
    elsif signing_secret_ref is null and not jsonb_path_exists(v_post, '$.media[*].url ? (@ != null)') then
      verdict := 'taken';
      v_taken := outrider.take_post(v_gate.settings, v_endpoint, 'push', v_post, v_post,
        case when v_gate.is_active and not v_gate.has_waited then v_claimer end, p_now);
      enqueued := v_taken.enqueued;
      claimed := v_taken.claimed;
    end if;
  end if;
  return next;
end;
$$;

comment on function outrider.ingest_push is $doc$Takes in the post of a request: admits the request, checks the post and enqueues it, in one transaction. A post
with a fault is an answer, not an error, so that its record and the count of the pace stay.

Two kinds of post are not enqueued here although they have no fault: a post whose media must be copied first
(media[].url), and a post whose signature must be checked. The caller does that and then calls
enqueue_messages_and_deliveries.

p_trace_id: the request's own, for a post that has none; may be null.
p_claimer: a sender that has room. The answer gives it what it may send at once, as if it had called claim_deliveries
right after. Null: nobody.
Concurrency: requests to one endpoint go one after the other: its pace is locked until the commit. So are up to eight
channels that are claimed from, and their groups; but the call never waits for the locks on these.
Returns: one row, with the columns of admit_ingress and more. `verdict` is taken (`enqueued` is the answer of
enqueue_messages_and_deliveries, `claimed` a list of rows of claim_deliveries, or null), admitted (the rest is left to
the caller), rejected (`reason` says what is wrong in the post and where; recorded), or a refusal of admit_ingress.
Raises: OR001.$doc$;

grant execute on function outrider.ingest_push to outrider_service;
