-- The payload of a message as it is kept and sent: the normalised one, with the white space of code as it came.
-- The hash is that of the normalised payload, so posts that differ only in white space are the same content.
--
-- normalize_payload turns the result into the normalised payload again.
create or replace function outrider.payload_to_send(p_payload jsonb, p_raw jsonb)
  returns jsonb
  language sql
  stable
  parallel safe
return case
  when p_payload ?& array['text', 'parse_mode'] then
    p_payload || jsonb_build_object('text', outrider.text_with_code(p_raw ->> 'text', p_payload ->> 'parse_mode'))
  else p_payload
end;
