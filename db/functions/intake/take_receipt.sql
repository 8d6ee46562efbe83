-- Writes the receipt of a request, unless the endpoint has taken the same one already: the same source_ref,
-- or, without one, the same payload within the endpoint's window.
--
-- Concurrency: two requests with one source_ref meet in the unique index; without one, requests to the
-- endpoint come one after the other.
-- Returns: null when the receipt was written, else when the earlier request came.
-- Raises: OR001, OR002, OR003.
create or replace function outrider.take_receipt(
  p_workspace_id text,
  p_endpoint_id text,
  p_raw_payload jsonb,
  p_now timestamptz
)
  returns timestamptz
  language plpgsql
  volatile
as $$
declare
  v_endpoint outrider.workspace_endpoints;
  v_source_ref constant text := nullif(p_raw_payload ->> 'source_ref', '');
  -- A trace differs each time and a workspace is only a hint.
  v_hash constant text := encode(sha256(convert_to((p_raw_payload - 'trace_id' - 'workspace_id')::text, 'UTF8')), 'hex');
  v_earlier timestamptz;
  v_expires_at timestamptz;
begin
  if length(p_endpoint_id) not between 1 and 64 then
    raise exception using errcode = 'OR001',
      message = format('enqueue_messages_and_deliveries: endpoint_id has %s characters; 1 to 64 are allowed', length(p_endpoint_id));
  end if;
  select e.* into v_endpoint from outrider.workspace_endpoints e
  where e.workspace_id = p_workspace_id and e.endpoint_id = p_endpoint_id;
  if not found then
    raise exception using errcode = 'OR002',
      message = format('enqueue_messages_and_deliveries: workspace "%s" has no endpoint "%s"', p_workspace_id, p_endpoint_id);
  end if;
  if not v_endpoint.enabled or v_endpoint.kind <> 'webhook_push' then
    raise exception using errcode = 'OR003',
      message = format('enqueue_messages_and_deliveries: endpoint "%s" takes no posts: it is %s', p_endpoint_id,
        case when v_endpoint.enabled then 'a ' || v_endpoint.kind else 'disabled' end);
  end if;

  select p_now + s.ingress_receipts_retention into v_expires_at
  from outrider.workspace_settings s where s.workspace_id = p_workspace_id;

  if v_source_ref is not null then
    insert into outrider.ingress_receipts as r
      (workspace_id, endpoint_id, endpoint_kind, source_ref, payload_hash, received_at, expires_at)
    values (p_workspace_id, p_endpoint_id, v_endpoint.kind, v_source_ref, v_hash, p_now, v_expires_at)
    on conflict (workspace_id, endpoint_id, source_ref) where source_ref is not null do update
    set payload_hash = excluded.payload_hash, received_at = excluded.received_at, expires_at = excluded.expires_at
    where r.expires_at <= excluded.received_at;
    if not found then
      select r.received_at into v_earlier from outrider.ingress_receipts r
      where r.workspace_id = p_workspace_id and r.endpoint_id = p_endpoint_id and r.source_ref = v_source_ref;
    end if;
    return v_earlier;
  end if;

  perform from outrider.workspace_endpoints e
  where e.workspace_id = p_workspace_id and e.endpoint_id = p_endpoint_id
  for no key update;
  select max(r.received_at) into v_earlier from outrider.ingress_receipts r
  where r.workspace_id = p_workspace_id and r.endpoint_id = p_endpoint_id and r.payload_hash = v_hash
    and r.received_at > p_now - make_interval(secs => v_endpoint.hash_drop_window_sec);
  if v_earlier is null then
    insert into outrider.ingress_receipts
      (workspace_id, endpoint_id, endpoint_kind, payload_hash, received_at, expires_at)
    values (p_workspace_id, p_endpoint_id, v_endpoint.kind, v_hash, p_now, v_expires_at);
  end if;
  return v_earlier;
end;
$$;
