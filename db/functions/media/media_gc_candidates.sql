create or replace function outrider.media_gc_candidates(
  p_workspace_id text,
  p_limit integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (blob_ref text, origin_url text, content_type text, size_bytes bigint, last_seen_at timestamptz)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_settings outrider.workspace_settings;
begin
  perform outrider.require_workspace('media_gc_candidates', p_workspace_id);
  perform outrider.require_count('media_gc_candidates', p_limit, 10000);
  perform outrider.require_time('media_gc_candidates', p_now);
  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;

  return query
  select o.blob_ref, o.origin_url, o.content_type, o.size_bytes, o.last_seen_at
  from outrider.media_origin o
  where o.workspace_id = p_workspace_id and o.ref_count = 0
    and o.last_seen_at < p_now - least(v_settings.origin_retention, v_settings.origin_retention_large_video)
    and o.last_seen_at < p_now - outrider.origin_kept_for(o.content_type, o.size_bytes, v_settings)
  order by o.last_seen_at
  limit p_limit;
end;
$$;

comment on function outrider.media_gc_candidates is $doc$The files of a workspace that may go: no message names them, and they were not seen for origin_retention, or for
origin_retention_large_video if they are videos of large_video_bytes or more.

A message is kept for as long as it has a delivery, so a file that may still be sent is not among them. Call
reconcile_media first: it counts the references anew.
Returns: p_limit rows at most, those first that were not seen for longest. forget_media_origins deletes them.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.media_gc_candidates to outrider_service;
