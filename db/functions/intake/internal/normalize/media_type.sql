-- The type of media that a name stands for; null: there is no such type.
create or replace function outrider.media_type(p_name text)
  returns text
  language sql
  immutable
  parallel safe
return case
  when p_name in ('image', 'video', 'audio', 'file', 'animation') then p_name
  when p_name = 'photo' then 'image'
  when p_name = 'document' then 'file'
  when p_name = 'gif' then 'animation'
end;
