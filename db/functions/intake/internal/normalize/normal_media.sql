-- The media of a post in their order, each with the name of its type, its blob_ref or canonical address,
-- and its caption and file name where it has them.
--
-- Returns: null when there are none.
create or replace function outrider.normal_media(p_media jsonb)
  returns jsonb
  language plpgsql
  immutable
  strict
  parallel safe
as $$
begin
  return (
    select jsonb_agg(
      jsonb_strip_nulls(jsonb_build_object(
        'type', outrider.media_type(m.item ->> 'type'),
        'blob_ref', m.item ->> 'blob_ref',
        'url', outrider.canonical_url(m.item ->> 'url'),
        'caption', nullif(outrider.normal_text(m.item ->> 'caption'), ''),
        'filename', nullif(outrider.normal_text(m.item ->> 'filename'), '')
      ))
      order by m.place
    )
    from jsonb_array_elements(p_media) with ordinality as m (item, place)
  );
end;
$$;
