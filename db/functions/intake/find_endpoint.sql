create or replace function outrider.find_endpoint(p_kind outrider.endpoint_kind, p_secret_hash text)
  returns table (workspace_id text, endpoint_id text, auth_ref text, max_payload_bytes integer, signing_secret_ref text)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  if p_kind is null or coalesce(p_secret_hash !~ '^[0-9a-f]{64}$', true) then
    raise exception using errcode = 'OR001',
      message = 'find_endpoint: kind and secret_hash (a SHA-256 in 64 hex digits) are needed';
  end if;
  return query
  select e.workspace_id, e.endpoint_id, e.auth_ref, e.max_payload_bytes, e.signing_secret_ref
  from outrider.workspace_endpoints e
  where e.kind = p_kind and e.secret_hash = p_secret_hash and e.enabled;
end;
$$;

comment on function outrider.find_endpoint is $doc$Finds the endpoint that a secret opens. Call it before a request's body is read: it counts nothing and waits for nobody.

Returns: the endpoint, the credential that a bot answers with, how large a request may be, and where to read the secret
that it must be signed with (null: it need not be signed); no row when no enabled endpoint of that kind has the secret.
Raises: OR001.$doc$;

grant execute on function outrider.find_endpoint to outrider_service;
