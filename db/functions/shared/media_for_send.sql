-- Where the media of a post are: for each blob its origin and, where this credential has uploaded it
-- already, the provider's copy. Null when the post names no blob.
create or replace function outrider.media_for_send(
  p_workspace_id text,
  p_payload jsonb,
  p_channel json
)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_object_agg(
    item.blob_ref,
    jsonb_build_object(
      'origin_url', o.origin_url, 'content_type', o.content_type, 'size_bytes', o.size_bytes, 'sha256', o.sha256,
      'file_id', b.file_id, 'url', b.url, 'expires_at', b.expires_at, 'meta', b.meta
    )
  )
  from (
    select distinct m.item ->> 'blob_ref' as blob_ref
    from jsonb_array_elements(p_payload -> 'media') as m (item)
    where m.item ->> 'blob_ref' is not null
  ) item
  left join outrider.media_origin o on o.workspace_id = p_workspace_id and o.blob_ref = item.blob_ref
  left join outrider.media_blobs b
    on b.workspace_id = p_workspace_id and b.blob_ref = item.blob_ref
    and b.provider = p_channel ->> 'platform' and b.auth_ref = p_channel ->> 'auth_ref';
$$;
