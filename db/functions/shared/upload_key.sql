-- The key of settings.media_upload that is about a type of media.
create or replace function outrider.upload_key(p_media_type text)
  returns text
  language sql
  immutable
  parallel safe
return case when p_media_type in ('image', 'video', 'audio', 'file') then p_media_type else 'other' end;
