-- Puts on record that somebody reads a raw payload, and finds it.
--
-- Returns: the payload; null when it is not there, and then nothing is put on record.
create or replace function outrider.note_reading(
  p_workspace_id text,
  p_payload_ref text,
  p_reading outrider.payload_reading,
  p_login name,
  p_operator text,
  p_reason text,
  p_now timestamptz
)
  returns outrider.raw_payloads
  language plpgsql
  volatile
as $$
declare
  v_payload outrider.raw_payloads;
begin
  select r.* into v_payload from outrider.raw_payloads r
  where r.workspace_id = p_workspace_id and r.payload_ref = p_payload_ref and r.expires_at > p_now;
  if not found then
    return null;
  end if;
  insert into outrider.payload_reads (workspace_id, payload_ref, reading, login, operator, reason, read_at)
  values (p_workspace_id, p_payload_ref, p_reading, p_login, outrider.mask_text(p_operator), outrider.mask_text(p_reason), p_now);
  return v_payload;
end;
$$;
