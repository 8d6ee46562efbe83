create or replace function outrider.drop_repeated_push(
  p_workspace_id text,
  p_endpoint_id text,
  p_raw_payload jsonb,
  p_now timestamptz default clock_timestamp()
)
  returns json
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_source_ref constant text := nullif(p_raw_payload ->> 'source_ref', '');
  v_endpoint outrider.workspace_endpoints;
  v_earlier timestamptz;
  v_run_id text;
begin
  perform outrider.require_intake('drop_repeated_push', p_workspace_id, p_now);
  if coalesce(jsonb_typeof(p_raw_payload) <> 'object', true) then
    raise exception using errcode = 'OR001', message = 'drop_repeated_push: raw_payload must be an object';
  end if;
  perform outrider.require_text('drop_repeated_push', 'endpoint_id', p_endpoint_id, 64);
  select e.* into v_endpoint from outrider.workspace_endpoints e
  where e.workspace_id = p_workspace_id and e.endpoint_id = p_endpoint_id;
  if not found then
    raise exception using errcode = 'OR002',
      message = format('drop_repeated_push: workspace "%s" has no endpoint "%s"', p_workspace_id, p_endpoint_id);
  end if;

  v_earlier := outrider.earlier_receipt(v_endpoint, p_raw_payload, p_now);
  if v_earlier is null then
    return null;
  end if;
  v_run_id := outrider.drop_ingress(v_endpoint, 'ingress_dedup_dropped', 'dedup_dropped',
    jsonb_build_object('source_ref', v_source_ref, 'trace_id', p_raw_payload ->> 'trace_id', 'received_at', v_earlier), p_now);
  return json_build_object('run_id', v_run_id, 'verdict', 'dedup_dropped', 'received_at', v_earlier);
end;
$$;

comment on function outrider.drop_repeated_push is $doc$Drops a post that its endpoint has taken already, before anybody fetches its media: the same source_ref, or, without
one, the same post within the endpoint's window. The post is given as it came, with the links of its media; so it was given
to enqueue_copied_post when it came first.

Concurrency: takes no lock. Of two equal posts at the same time none may be dropped here; enqueue_copied_post drops one.
Returns: {run_id, verdict: "dedup_dropped", received_at}, or null for a post that is no repeat.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.drop_repeated_push to outrider_ingest;
