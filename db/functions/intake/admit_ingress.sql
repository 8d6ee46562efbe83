-- The gate in front of an endpoint: who is it, is the request small enough, does it come slowly enough.
-- Called before a body is parsed or its media are copied.
--
-- The secret decides the workspace; nothing in the request does. The pace allows a second's worth of
-- requests at once, and one more each 1/ingress_rps.
-- Concurrency: the endpoint's row is locked while its pace is counted.
-- Returns: one row. `verdict` is admitted, unknown_endpoint (no enabled endpoint has this secret),
-- workspace_disabled, payload_rejected or rate_limited; the last two are recorded.
-- Raises: OR001.
create or replace function outrider.admit_ingress(
  p_kind outrider.endpoint_kind,
  p_secret_hash text,
  p_size_bytes bigint,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    verdict text, workspace_id text, endpoint_id text, run_id text, retry_after_ms integer, max_payload_bytes integer
  )
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_endpoint outrider.workspace_endpoints;
  v_status outrider.workspace_status;
  v_step interval;
  v_next timestamptz;
  v_wait interval;
begin
  perform outrider.require_time('admit_ingress', p_now);
  if p_kind is null or coalesce(p_secret_hash !~ '^[0-9a-f]{64}$', true) or coalesce(p_size_bytes < 0, true) then
    raise exception using errcode = 'OR001',
      message = 'admit_ingress: kind, secret_hash (a SHA-256 in 64 hex digits) and size_bytes (0 or more) are needed';
  end if;

  select e.* into v_endpoint from outrider.workspace_endpoints e
  where e.kind = p_kind and e.secret_hash = p_secret_hash and e.enabled;
  if not found then
    return query select 'unknown_endpoint', null::text, null::text, null::text, null::integer, null::integer;
    return;
  end if;

  select w.status into v_status from outrider.workspaces w where w.workspace_id = v_endpoint.workspace_id;
  verdict := 'admitted';
  workspace_id := v_endpoint.workspace_id;
  endpoint_id := v_endpoint.endpoint_id;
  max_payload_bytes := v_endpoint.max_payload_bytes;

  if v_status = 'disabled' then
    verdict := 'workspace_disabled';
  elsif p_size_bytes > v_endpoint.max_payload_bytes then
    verdict := 'payload_rejected';
    run_id := outrider.drop_ingress(workspace_id, endpoint_id, 'ingress_payload_rejected', verdict,
      jsonb_build_object('size_bytes', p_size_bytes, 'max_payload_bytes', max_payload_bytes), p_now);
  else
    v_step := make_interval(secs => (1 / v_endpoint.ingress_rps)::double precision);
    select greatest(p_now, e.next_allowed_at) + v_step into v_next from outrider.workspace_endpoints e
    where e.workspace_id = v_endpoint.workspace_id and e.endpoint_id = v_endpoint.endpoint_id
    for no key update;
    v_wait := v_next - p_now - greatest(v_step, interval '1 second');
    if v_wait > interval '0' then
      verdict := 'rate_limited';
      retry_after_ms := ceil(extract(epoch from v_wait) * 1000)::integer;
      run_id := outrider.drop_ingress(workspace_id, endpoint_id, 'ingress_rate_limited', verdict,
        jsonb_build_object('ingress_rps', v_endpoint.ingress_rps, 'retry_after_ms', retry_after_ms), p_now);
    else
      update outrider.workspace_endpoints e set next_allowed_at = v_next
      where e.workspace_id = v_endpoint.workspace_id and e.endpoint_id = v_endpoint.endpoint_id;
    end if;
  end if;
  return next;
end;
$$;

grant execute on function outrider.admit_ingress to outrider_service;
