-- The hash by which two posts are the same content: the SHA-256, in hex, of a normalised payload as jsonb writes it
-- (keys in jsonb's order, lists in their own). A media item counts by its type, its blob_ref (else its address) and
-- its caption; its file name does not count.
create or replace function outrider.content_hash(p_payload jsonb)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_payload jsonb := p_payload;
begin
  if v_payload ? 'media' then
    v_payload := v_payload || jsonb_build_object('media', (
      select jsonb_agg(case when m.item ? 'blob_ref' then m.item - '{filename,url}'::text[] else m.item - 'filename' end order by m.place)
      from jsonb_array_elements(v_payload -> 'media') with ordinality as m (item, place)
    ));
  end if;
  return encode(sha256(convert_to(v_payload::text, 'UTF8')), 'hex');
end;
$$;
