-- What admit_ingress says of a request, for every function that admits one; p_function is who asks.
--
-- Concurrency: the endpoint's row is locked while its pace is counted, until the transaction ends. A request that
-- had to wait for the row is judged by the time at which it got it: by p_now it would be behind requests that came
-- after it, and refused although it is not too fast.
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
as $$
#variable_conflict use_column
declare
  v_endpoint outrider.workspace_endpoints;
  v_status outrider.workspace_status;
  v_asked timestamptz;
  v_now timestamptz := p_now;
  v_allowed timestamptz;
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
    v_asked := clock_timestamp();
    select e.next_allowed_at into v_allowed from outrider.workspace_endpoints e
    where e.workspace_id = v_endpoint.workspace_id and e.endpoint_id = v_endpoint.endpoint_id
    for no key update skip locked;
    if not found then
      select e.next_allowed_at into v_allowed from outrider.workspace_endpoints e
      where e.workspace_id = v_endpoint.workspace_id and e.endpoint_id = v_endpoint.endpoint_id
      for no key update;
      v_now := p_now + (clock_timestamp() - v_asked);
    end if;
    v_step := make_interval(secs => (1 / v_endpoint.ingress_rps)::double precision);
    v_next := greatest(v_now, v_allowed) + v_step;
    v_wait := v_next - v_now - greatest(v_step, interval '1 second');
    if v_wait > interval '0' then
      verdict := 'rate_limited';
      retry_after_ms := ceil(extract(epoch from v_wait) * 1000)::integer;
      run_id := outrider.drop_ingress(workspace_id, endpoint_id, 'ingress_rate_limited', verdict,
        jsonb_build_object('ingress_rps', v_endpoint.ingress_rps, 'retry_after_ms', retry_after_ms), v_now);
    else
      update outrider.workspace_endpoints e set next_allowed_at = v_next
      where e.workspace_id = v_endpoint.workspace_id and e.endpoint_id = v_endpoint.endpoint_id;
    end if;
  end if;
end;
$$;
