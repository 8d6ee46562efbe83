-- Makes the payload of a message out of a post that has no payload_fault. The payload is what is hashed and, except for
-- the white space of code, what is sent: in one spelling, and with nothing empty in it. How and when the post came is
-- left out.
--
-- A payload that is normal already stays unchanged. Raise hash_version when you change what this returns.
create or replace function outrider.normalize_payload(p_raw jsonb)
  returns jsonb
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_media constant jsonb := outrider.normal_media(nullif(p_raw -> 'media', 'null'));
begin
  return jsonb_strip_nulls(jsonb_build_object(
    'type', case when v_media is null then 'text' else 'media' end,
    'text', nullif(outrider.normal_text(p_raw ->> 'text'), ''),
    'parse_mode', nullif(p_raw ->> 'parse_mode', 'None'),
    'title', nullif(outrider.normal_text(p_raw ->> 'title'), ''),
    'links', outrider.normal_links(p_raw ->> 'url', nullif(p_raw -> 'links', 'null')),
    'media', v_media,
    'buttons', outrider.normal_buttons(nullif(p_raw -> 'buttons', 'null')),
    'disable_preview', case when p_raw -> 'disable_preview' = 'true' then true end,
    'fields', outrider.normal_fields(nullif(p_raw -> 'fields', 'null'))
  ));
end;
$$;
