create or replace function outrider.admit_ingress(
  p_kind outrider.endpoint_kind,
  p_secret_hash text,
  p_size_bytes bigint,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    verdict text, workspace_id text, endpoint_id text, run_id text, retry_after_ms integer, max_payload_bytes integer,
    signing_secret_ref text
  )
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  return query
  select
    a.verdict, (a.endpoint).workspace_id, (a.endpoint).endpoint_id, a.run_id, a.retry_after_ms,
    (a.endpoint).max_payload_bytes, (a.endpoint).signing_secret_ref
  from outrider.admit_request('admit_ingress', p_kind, p_secret_hash, p_size_bytes, p_now) a;
end;
$$;

comment on function outrider.admit_ingress is $doc$Decides whether a request may enter: which endpoint its secret opens, whether it is small enough, and whether
it keeps to the endpoint's pace. Call it before a body is parsed or its media are copied; ingest_push includes it.

The secret decides the workspace; nothing in the request does. The pace allows the requests of one second at once, and
then one more every 1/ingress_rps seconds.
Concurrency: the row of the endpoint's pace is locked until the transaction ends.
Returns: one row. `verdict` is admitted, unknown_endpoint (no enabled endpoint has this secret),
workspace_disabled, payload_rejected or rate_limited; the last two are recorded. `signing_secret_ref` says where to
read the secret that the request must be signed with; it is null when no signature is needed.
Raises: OR001.$doc$;

grant execute on function outrider.admit_ingress to outrider_service;
