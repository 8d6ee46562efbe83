-- How long a file is kept that no message names: a large video not as long as others.
create or replace function outrider.origin_kept_for(
  p_content_type text,
  p_size_bytes bigint,
  p_settings outrider.workspace_settings
)
  returns interval
  language sql
  immutable
  parallel safe
return case
  when p_content_type like 'video/%' and p_size_bytes >= (p_settings).large_video_bytes
    then (p_settings).origin_retention_large_video
  else (p_settings).origin_retention
end;
