-- What admit_ingress says of a request, for every function that admits one; p_function is who asks.
--
-- Concurrency: the endpoint's row is locked while its pace is counted, until the transaction ends.
-- Returns, raises: as admit_ingress.
create or replace function outrider.admit_request(
  p_function text,
  p_kind outrider.endpoint_kind,
  p_secret_hash text,
  p_size_bytes bigint,
  p_now timestamptz,
  out verdict text,
  out workspace_id text,
  out endpoint_id text,
  out run_id text,
  out retry_after_ms integer,
  out max_payload_bytes integer,
  out signing_secret_ref text
)
  language plpgsql
  volatile
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
  perform outrider.require_time(p_function, p_now);
  if p_kind is null or coalesce(p_secret_hash !~ '^[0-9a-f]{64}$', true) or coalesce(p_size_bytes < 0, true) then
    raise exception using errcode = 'OR001', message = format(
      '%s: kind, secret_hash (a SHA-256 in 64 hex digits) and size_bytes (0 or more) are needed', p_function);
  end if;

  select e.* into v_endpoint from outrider.workspace_endpoints e
  where e.kind = p_kind and e.secret_hash = p_secret_hash and e.enabled;
  if not found then
    verdict := 'unknown_endpoint';
    return;
  end if;

  select w.status into v_status from outrider.workspaces w where w.workspace_id = v_endpoint.workspace_id;
  verdict := 'admitted';
  workspace_id := v_endpoint.workspace_id;
  endpoint_id := v_endpoint.endpoint_id;
  max_payload_bytes := v_endpoint.max_payload_bytes;
  signing_secret_ref := v_endpoint.signing_secret_ref;

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
end;
$$;
