create or replace function outrider.read_payload(
  p_workspace_id text,
  p_payload_ref text,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns table (kind outrider.payload_kind, object_url text, key_id text, size_bytes bigint, created_at timestamptz)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_payload outrider.raw_payloads;
begin
  perform outrider.require_workspace('read_payload', p_workspace_id);
  perform outrider.require_time('read_payload', p_now);
  perform outrider.require_text('read_payload', 'payload_ref', p_payload_ref, 64);
  perform outrider.require_operator('read_payload', p_operator, p_reason);
  v_payload := outrider.note_reading(
    p_workspace_id, p_payload_ref, 'command', outrider.acting_login(), p_operator, p_reason, p_now);
  if v_payload.payload_ref is null then
    raise exception using errcode = 'OR002',
      message = format('read_payload: workspace "%s" has no payload "%s"', p_workspace_id, p_payload_ref),
      hint = 'It has expired or was erased, or it is of another workspace.';
  end if;
  return query
  select v_payload.kind, v_payload.object_url, v_payload.key_id, v_payload.size_bytes, v_payload.created_at;
end;
$$;

comment on function outrider.read_payload is $doc$Says where a raw payload is kept and with which key it is encrypted, and puts on record who asks and why
(outrider.payload_reads). It is on record also when the object turns out to be gone.

Returns: one row.
Raises: OR001, OR002 (also for a payload that has expired), OR003.$doc$;

grant execute on function outrider.read_payload to outrider_privileged;
