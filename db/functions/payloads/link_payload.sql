create or replace function outrider.link_payload(
  p_workspace_id text,
  p_payload_ref text,
  p_operator text,
  p_reason text,
  p_for interval,
  p_now timestamptz default clock_timestamp()
)
  returns text
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  -- 244 random bits.
  v_token constant text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  perform outrider.require_workspace('link_payload', p_workspace_id);
  perform outrider.require_time('link_payload', p_now);
  perform outrider.require_text('link_payload', 'payload_ref', p_payload_ref, 64);
  perform outrider.require_operator('link_payload', p_operator, p_reason);
  if coalesce(p_for <= interval '0' or p_for > interval '1 hour', true) then
    raise exception using errcode = 'OR001', message = 'link_payload: for must be longer than 0, and an hour at most';
  end if;
  if not exists (
    select from outrider.raw_payloads r
    where r.workspace_id = p_workspace_id and r.payload_ref = p_payload_ref and r.expires_at > p_now
  ) then
    raise exception using errcode = 'OR002',
      message = format('link_payload: workspace "%s" has no payload "%s"', p_workspace_id, p_payload_ref),
      hint = 'It has expired or was erased, or it is of another workspace.';
  end if;

  delete from outrider.payload_links l where l.workspace_id = p_workspace_id and l.expires_at <= p_now;
  insert into outrider.payload_links
    (workspace_id, token_hash, payload_ref, login, operator, reason, created_at, expires_at)
  values (
    p_workspace_id, encode(sha256(convert_to(v_token, 'UTF8')), 'hex'), p_payload_ref, outrider.acting_login(),
    outrider.mask_text(p_operator), outrider.mask_text(p_reason), p_now, p_now + p_for);
  return v_token;
end;
$$;

comment on function outrider.link_payload is $doc$Makes a link by which a raw payload can be read over HTTP for p_for, an hour at most: whoever has the token may read.
Each reading is on record with who made the link and why.

Returns: the token, which is kept nowhere: its SHA-256 is.
Raises: OR001, OR002 (also for a payload that has expired), OR003.$doc$;

grant execute on function outrider.link_payload to outrider_privileged;
