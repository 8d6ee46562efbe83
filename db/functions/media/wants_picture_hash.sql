create or replace function outrider.wants_picture_hash(p_workspace_id text, p_blob_ref text)
  returns boolean
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('wants_picture_hash', p_workspace_id);
  perform outrider.require_text('wants_picture_hash', 'blob_ref', p_blob_ref, 256);

  return exists (
    select from outrider.channels c
    where c.workspace_id = p_workspace_id and c.enabled and c.settings @> '{"similar": {"pictures": true}}'
  ) and not exists (
    select from outrider.media_origin o
    where o.workspace_id = p_workspace_id and o.blob_ref = p_blob_ref and o.picture_hash is not null
  );
end;
$$;

comment on function outrider.wants_picture_hash is $doc$Whether some channel of a workspace compares pictures (settings.similar.pictures), and nobody has yet said what this
blob looks like.

Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.wants_picture_hash to outrider_ingest;
