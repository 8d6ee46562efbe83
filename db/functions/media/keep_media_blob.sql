create or replace function outrider.keep_media_blob(
  p_workspace_id text,
  p_blob_ref text,
  p_provider text,
  p_auth_ref text,
  p_file_id text,
  p_expires_at timestamptz,
  p_now timestamptz default clock_timestamp()
)
  returns void
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('keep_media_blob', p_workspace_id);
  perform outrider.require_time('keep_media_blob', p_now);
  perform outrider.require_text('keep_media_blob', 'blob_ref', p_blob_ref, 256);
  perform outrider.require_text('keep_media_blob', 'provider', p_provider, 32);
  perform outrider.require_text('keep_media_blob', 'auth_ref', p_auth_ref, 128);
  perform outrider.require_text('keep_media_blob', 'file_id', p_file_id, 4096);
  if not outrider.is_usable_time(p_expires_at) then
    raise exception using errcode = 'OR001', message = 'keep_media_blob: expires_at is not in the years 1970 to 2200; leave it out instead';
  end if;

  insert into outrider.media_blobs (workspace_id, blob_ref, provider, auth_ref, file_id, expires_at, created_at, updated_at)
  values (p_workspace_id, p_blob_ref, p_provider, p_auth_ref, p_file_id, p_expires_at, p_now, p_now)
  on conflict (workspace_id, blob_ref, provider, auth_ref) do update
  set file_id = excluded.file_id, expires_at = excluded.expires_at, updated_at = excluded.updated_at;
end;
$$;

comment on function outrider.keep_media_blob is $doc$Keeps the file id that a provider gave to an upload of a blob, for the next sends with this credential.

p_expires_at: until when the file id is valid; null: for as long as the provider accepts it.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.keep_media_blob to outrider_worker;
