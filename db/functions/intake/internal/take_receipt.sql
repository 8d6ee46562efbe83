-- Writes the receipt of a request, unless the endpoint has taken the same one already: the same source_ref,
-- or, without one, the same payload within the endpoint's window.
--
-- Concurrency: two requests with the same source_ref meet in the unique index. For a request without one, the caller
-- has locked the endpoint's pace, so that such requests come one after the other.
-- Returns: null when the receipt was written, else when the earlier request came.
create or replace function outrider.take_receipt(
  p_endpoint outrider.workspace_endpoints,
  p_retention interval,
  p_raw_payload jsonb,
  p_now timestamptz
)
  returns timestamptz
  language plpgsql
  volatile
as $$
declare
  v_source_ref constant text := nullif(p_raw_payload ->> 'source_ref', '');
  v_hash constant text := outrider.receipt_hash(p_raw_payload);
  v_since constant timestamptz := p_now - make_interval(secs => p_endpoint.hash_drop_window_sec);
begin
  insert into outrider.ingress_receipts as r
    (workspace_id, endpoint_id, endpoint_kind, source_ref, payload_hash, received_at, expires_at)
  select p_endpoint.workspace_id, p_endpoint.endpoint_id, p_endpoint.kind, v_source_ref, v_hash, p_now, p_now + p_retention
  where v_source_ref is not null or not exists (
    select from outrider.ingress_receipts x
    where x.workspace_id = p_endpoint.workspace_id and x.endpoint_id = p_endpoint.endpoint_id
      and x.payload_hash = v_hash and x.received_at > v_since
  )
  on conflict (workspace_id, endpoint_id, source_ref) where source_ref is not null do update
  set payload_hash = excluded.payload_hash, received_at = excluded.received_at, expires_at = excluded.expires_at
  where r.expires_at <= excluded.received_at;
  if found then
    return null;
  end if;

  return outrider.earlier_receipt(p_endpoint, p_raw_payload, p_now);
end;
$$;
