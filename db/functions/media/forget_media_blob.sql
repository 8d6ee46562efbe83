create or replace function outrider.forget_media_blob(
  p_workspace_id text,
  p_blob_ref text,
  p_provider text,
  p_auth_ref text,
  p_file_id text
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('forget_media_blob', p_workspace_id);
  perform outrider.require_text('forget_media_blob', 'blob_ref', p_blob_ref, 256);
  perform outrider.require_text('forget_media_blob', 'provider', p_provider, 32);
  perform outrider.require_text('forget_media_blob', 'auth_ref', p_auth_ref, 128);
  perform outrider.require_text('forget_media_blob', 'file_id', p_file_id, 4096);

  delete from outrider.media_blobs b
  where b.workspace_id = p_workspace_id and b.blob_ref = p_blob_ref and b.provider = p_provider
    and b.auth_ref = p_auth_ref and b.file_id = p_file_id;
  return found;
end;
$$;

comment on function outrider.forget_media_blob is $doc$Forgets the file id that a provider gave to an upload. The provider does not accept it any more, and the next send
uploads the blob again.

p_file_id: the file id that failed. If another sender has kept a new one since, the new one stays.
Returns: whether the file id was known.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.forget_media_blob to outrider_worker;
