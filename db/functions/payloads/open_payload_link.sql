create or replace function outrider.open_payload_link(
  p_workspace_id text,
  p_token_hash text,
  p_now timestamptz default clock_timestamp()
)
  returns table (payload_ref text, kind outrider.payload_kind, object_url text, key_id text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_link outrider.payload_links;
  v_payload outrider.raw_payloads;
begin
  perform outrider.require_workspace('open_payload_link', p_workspace_id);
  perform outrider.require_time('open_payload_link', p_now);
  if coalesce(p_token_hash !~ '^[0-9a-f]{64}$', true) then
    raise exception using errcode = 'OR001', message = 'open_payload_link: token_hash must be 64 hex digits';
  end if;
  select l.* into v_link from outrider.payload_links l
  where l.workspace_id = p_workspace_id and l.token_hash = p_token_hash and l.expires_at > p_now;
  if not found then
    return;
  end if;
  v_payload := outrider.note_reading(
    p_workspace_id, v_link.payload_ref, 'link', v_link.login, v_link.operator, v_link.reason, p_now);
  if v_payload.payload_ref is null then
    return;
  end if;
  return query
  select v_payload.payload_ref, v_payload.kind, v_payload.object_url, v_payload.key_id;
end;
$$;

comment on function outrider.open_payload_link is $doc$Finds the raw payload that a link leads to, by the SHA-256 of its token, and puts the reading on record: with the login
and the operator that made the link, and their reason.

Returns: one row; none when there is no such link, or it has expired, or the payload has.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.open_payload_link to outrider_service;
