create or replace function outrider.keep_picture_hash(p_workspace_id text, p_blob_ref text, p_picture_hash text)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('keep_picture_hash', p_workspace_id);
  perform outrider.require_text('keep_picture_hash', 'blob_ref', p_blob_ref, 256);
  if coalesce(p_picture_hash !~ '^[0-9a-f]{16}$', true) then
    raise exception using errcode = 'OR001', message = 'keep_picture_hash: picture_hash must be 16 hex digits';
  end if;

  update outrider.media_origin o set picture_hash = p_picture_hash
  where o.workspace_id = p_workspace_id and o.blob_ref = p_blob_ref;
  return found;
end;
$$;

comment on function outrider.keep_picture_hash is $doc$Records what the picture in a blob looks like, for channels that compare pictures.

p_picture_hash: a difference hash of 64 bits, in hex: pictures that look alike differ in few of them.
Returns: whether the blob is in the origin store.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.keep_picture_hash to outrider_ingest;
