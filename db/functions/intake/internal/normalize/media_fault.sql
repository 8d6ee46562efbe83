-- Checks the media of a post: at most 100 items, each of a known type and either in the origin
-- store (blob_ref) or at an address (url).
--
-- Returns: a sentence; null: nothing is wrong.
create or replace function outrider.media_fault(p_media jsonb)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_item jsonb;
  v_path text;
  v_fault text := outrider.count_fault('media', p_media, 100);
begin
  if v_fault is not null then
    return v_fault;
  end if;
  for v_item, v_path in
    select m.item, format('media[%s]', m.place - 1)
    from jsonb_array_elements(p_media) with ordinality as m (item, place)
    order by m.place
  loop
    v_fault := coalesce(
      outrider.shape_fault(v_path, v_item,
        '{"type": "string", "url": "string", "blob_ref": "string", "caption": "string", "filename": "string"}'),
      case
        when v_item ->> 'type' is null then format('%s has no type', v_path)
        when outrider.media_type(v_item ->> 'type') is null then
          format('%s.type %s is not one of image, video, audio, file, animation', v_path, outrider.excerpt(v_item ->> 'type'))
        when num_nonnulls(v_item ->> 'url', v_item ->> 'blob_ref') = 0 then format('%s has neither url nor blob_ref', v_path)
        when num_nonnulls(v_item ->> 'url', v_item ->> 'blob_ref') = 2 then format('%s has both url and blob_ref; give one', v_path)
      end,
      outrider.url_fault(v_path || '.url', v_item ->> 'url'),
      outrider.length_fault(v_path || '.blob_ref', v_item ->> 'blob_ref', 1, 256),
      outrider.length_fault(v_path || '.caption', v_item ->> 'caption', 0, 4096),
      outrider.length_fault(v_path || '.filename', v_item ->> 'filename', 0, 255)
    );
    exit when v_fault is not null;
  end loop;
  return v_fault;
end;
$$;
