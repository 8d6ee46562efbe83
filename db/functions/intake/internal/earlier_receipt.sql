-- When an endpoint took the same request before: the same source_ref, or, without one, the same payload within the
-- endpoint's window. Null when it did not.
create or replace function outrider.earlier_receipt(
  p_endpoint outrider.workspace_endpoints,
  p_raw_payload jsonb,
  p_now timestamptz
)
  returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_source_ref constant text := nullif(p_raw_payload ->> 'source_ref', '');
begin
  if v_source_ref is not null then
    return (
      select r.received_at from outrider.ingress_receipts r
      where r.workspace_id = p_endpoint.workspace_id and r.endpoint_id = p_endpoint.endpoint_id
        and r.source_ref = v_source_ref and r.expires_at > p_now);
  end if;
  return (
    select max(r.received_at) from outrider.ingress_receipts r
    where r.workspace_id = p_endpoint.workspace_id and r.endpoint_id = p_endpoint.endpoint_id
      and r.payload_hash = outrider.receipt_hash(p_raw_payload)
      and r.received_at > p_now - make_interval(secs => p_endpoint.hash_drop_window_sec));
end;
$$;
