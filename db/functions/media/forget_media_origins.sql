create or replace function outrider.forget_media_origins(
  p_workspace_id text,
  p_blob_refs text[],
  p_now timestamptz default clock_timestamp()
)
  returns integer
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_settings outrider.workspace_settings;
  v_forgotten text[];
begin
  perform outrider.require_workspace('forget_media_origins', p_workspace_id);
  perform outrider.require_time('forget_media_origins', p_now);
  if p_blob_refs is null or array_ndims(p_blob_refs) <> 1 or cardinality(p_blob_refs) not between 1 and 10000
    or exists (select from unnest(p_blob_refs) as u (blob_ref) where coalesce(length(u.blob_ref), 0) not between 1 and 256)
  then
    raise exception using errcode = 'OR001',
      message = 'forget_media_origins: blob_refs must hold 1 to 10000 names of 1 to 256 characters';
  end if;
  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;

  with old as (
    select o.blob_ref from outrider.media_origin o
    where o.workspace_id = p_workspace_id and o.blob_ref = any (p_blob_refs) and o.ref_count = 0
      and o.last_seen_at < p_now - outrider.origin_kept_for(o.content_type, o.size_bytes, v_settings)
    for update skip locked
  ),
  gone as (
    delete from outrider.media_origin o
    using old
    where o.workspace_id = p_workspace_id and o.blob_ref = old.blob_ref
    returning o.blob_ref
  )
  select coalesce(array_agg(g.blob_ref), '{}') into v_forgotten from gone g;
  delete from outrider.media_blobs b
  where b.workspace_id = p_workspace_id and b.blob_ref = any (v_forgotten);
  return cardinality(v_forgotten);
end;
$$;

comment on function outrider.forget_media_origins is $doc$Forgets files of a workspace that media_gc_candidates has named, and the copies that providers have of them. The
bytes stay until no workspace names them; whoever removes them asks known_origins.

A file that a message names again, or that was seen again, stays.
Concurrency: passes over files that somebody has locked, such as a post that names them.
Returns: how many it has forgotten.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.forget_media_origins to outrider_service;
