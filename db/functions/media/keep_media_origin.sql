create or replace function outrider.keep_media_origin(
  p_workspace_id text,
  p_blob_ref text,
  p_origin_url text,
  p_sha256 text,
  p_content_type text,
  p_size_bytes bigint,
  p_now timestamptz default clock_timestamp()
)
  returns void
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('keep_media_origin', p_workspace_id);
  perform outrider.require_time('keep_media_origin', p_now);
  perform outrider.require_text('keep_media_origin', 'blob_ref', p_blob_ref, 256);
  perform outrider.require_text('keep_media_origin', 'origin_url', p_origin_url, 2048);
  perform outrider.require_text('keep_media_origin', 'content_type', p_content_type, 255);
  if coalesce(p_sha256 !~ '^[0-9a-f]{64}$', true) then
    raise exception using errcode = 'OR001', message = 'keep_media_origin: sha256 must be 64 hex digits';
  end if;
  if coalesce(p_size_bytes < 0, true) then
    raise exception using errcode = 'OR001', message = 'keep_media_origin: size_bytes must be 0 or more';
  end if;
  if p_origin_url ~ '^(folder|s3):(?!//)' and not pg_has_role(outrider.acting_login(), 'outrider_service', 'member') then
    raise exception using errcode = 'OR003',
      message = format('keep_media_origin: login "%s" may not name files in the store of Outrider', outrider.acting_login()),
      hint = 'Upload the file with POST /v1/media, or let a post name it by its url.';
  end if;

  insert into outrider.media_origin as o
    (workspace_id, blob_ref, origin_url, sha256, content_type, size_bytes, last_seen_at, created_at)
  values (p_workspace_id, p_blob_ref, p_origin_url, p_sha256, p_content_type, p_size_bytes, p_now, p_now)
  on conflict (workspace_id, blob_ref) do update
  set origin_url = excluded.origin_url, last_seen_at = greatest(o.last_seen_at, excluded.last_seen_at);
end;
$$;

comment on function outrider.keep_media_origin is $doc$Records that the origin store holds a blob. If the blob is known already, its address becomes the new one,
where its bytes have just been put, and its last_seen_at moves on.

`folder:` and `s3:` are the stores of Outrider's own processes, and only they may record what is in them. They have one
file for the same bytes of all workspaces, so a tenant who knew a hash could otherwise name another tenant's file. A tenant
that sends with a store of its own has addresses of its own, such as `s3://bucket/key`.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.keep_media_origin to outrider_ingest;
