-- A post's text as a part of its own, in a list of one.
create or replace function outrider.text_part(p_has_buttons boolean)
  returns jsonb
  language sql
  immutable
  parallel safe
return case when p_has_buttons then '[{"kind": "text", "buttons": true}]'::jsonb else '[{"kind": "text"}]'::jsonb end;
