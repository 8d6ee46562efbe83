-- Decides whether a request may enter, for admit_ingress and ingest_push; p_function is the name of the caller.
--
-- Concurrency: the row of the endpoint's pace is locked until the transaction ends. A request that had to wait for the
-- lock is judged by the time at which it got it. By p_now it would be earlier than requests that came after it, and
-- would be refused although it is not too fast.
-- Returns: the verdict of admit_ingress, and what the intake of the post needs; `has_waited` when p_now has passed.
-- Raises: as admit_ingress.
create or replace function outrider.admit_request(
  p_function text,
  p_kind outrider.endpoint_kind,
  p_secret_hash text,
  p_size_bytes bigint,
  p_now timestamptz
)
  returns outrider.admission
  language plpgsql
  volatile
as $$
declare
  v_admission outrider.admission;
  v_endpoint outrider.workspace_endpoints;
  v_found record;
  v_asked constant timestamptz := clock_timestamp();
  v_now timestamptz := outrider.require_time(p_function, p_now);
begin
  -- Not by a regular expression: one of 64 steps is built anew for each match.
  if p_kind is null or coalesce(length(p_secret_hash) <> 64 or translate(p_secret_hash, '0123456789abcdef', '') <> '', true)
    or coalesce(p_size_bytes < 0, true)
  then
    raise exception using errcode = 'OR001', message = format(
      '%s: kind, secret_hash (a SHA-256 in 64 hex digits) and size_bytes (0 or more) are needed', p_function);
  end if;

  loop
    with found as materialized (
      select
        e as endpoint, w.status, p.tid, n.next_allowed_at,
        row(s.workspace_id, s.max_attempts, s.sending_lease, s.keep_deduped_rows, s.ingress_receipts_retention)::outrider.intake_settings as settings,
        n.next_allowed_at - v_now - greatest(n.step, interval '1 second') as wait
      from outrider.workspace_endpoints e
      join outrider.workspaces w on w.workspace_id = e.workspace_id
      join outrider.workspace_settings s on s.workspace_id = e.workspace_id
      left join lateral (
        select x.ctid as tid, x.next_allowed_at from outrider.endpoint_pace x
        where x.workspace_id = e.workspace_id and x.endpoint_id = e.endpoint_id
        for no key update skip locked
      ) p on true
      cross join lateral (
        select make_interval(secs => (1 / e.ingress_rps)::double precision) as step
      ) i
      cross join lateral (select i.step, greatest(v_now, p.next_allowed_at) + i.step as next_allowed_at) n
      where e.kind = p_kind and e.secret_hash = p_secret_hash and e.enabled
    ),
    counted as (
      update outrider.endpoint_pace x set next_allowed_at = f.next_allowed_at
      from found f
      where x.ctid = f.tid and f.wait <= interval '0' and f.status <> 'disabled'
        and p_size_bytes <= (f.endpoint).max_payload_bytes
    )
    select f.* into v_found from found f;
    exit when not found or v_found.tid is not null;

    perform from outrider.endpoint_pace x
    where x.workspace_id = (v_found.endpoint).workspace_id and x.endpoint_id = (v_found.endpoint).endpoint_id
    for no key update;
    v_now := p_now + (clock_timestamp() - v_asked);
  end loop;

  if not found then
    v_admission.verdict := 'unknown_endpoint';
    return v_admission;
  end if;
  v_endpoint := v_found.endpoint;
  v_admission.endpoint := v_endpoint;
  v_admission.settings := v_found.settings;
  v_admission.is_active := v_found.status = 'active';
  v_admission.has_waited := v_now > p_now;

  if v_found.status = 'disabled' then
    v_admission.verdict := 'workspace_disabled';
  elsif p_size_bytes > v_endpoint.max_payload_bytes then
    v_admission.verdict := 'payload_rejected';
    v_admission.run_id := outrider.drop_ingress(v_endpoint, 'ingress_payload_rejected', 'payload_rejected',
      jsonb_build_object('size_bytes', p_size_bytes, 'max_payload_bytes', v_endpoint.max_payload_bytes), p_now);
  elsif v_found.wait > interval '0' then
    v_admission.verdict := 'rate_limited';
    v_admission.retry_after_ms := ceil(extract(epoch from v_found.wait) * 1000)::integer;
    v_admission.run_id := outrider.drop_ingress(v_endpoint, 'ingress_rate_limited', 'rate_limited',
      jsonb_build_object('ingress_rps', v_endpoint.ingress_rps, 'retry_after_ms', v_admission.retry_after_ms), v_now);
  else
    v_admission.verdict := 'admitted';
  end if;
  return v_admission;
end;
$$;
