-- The attributes of an HTML tag in their order, with values as they are written. The platforms read a value without
-- quotes in different ways; is_quoted is false for it.
create or replace function outrider.tag_attributes(p_tag text)
  returns table (name text, value text, is_quoted boolean, place bigint)
  language sql
  immutable
  parallel safe
begin atomic
  select m.parts[1], coalesce(m.parts[2], m.parts[3], m.parts[4]), m.parts[4] is null, m.place
  from regexp_matches(
    substring(p_tag from '^<[^ \t\r\n\v/>]*(.*)$'),
    '([^ \t\r\n\v=>/"'']+)[ \t\r\n\v]*(?:=[ \t\r\n\v]*(?:"([^"]*)"|''([^'']*)''|([^ \t\r\n\v>"'']*)))?', 'g'
  ) with ordinality as m (parts, place);
end;
