-- A text as the id that it is; null when it is none, or only a part of one.
create or replace function outrider.whole_id(p_text text)
  returns uuid
  language sql
  immutable
  parallel safe
return case when p_text ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then p_text::uuid end;
