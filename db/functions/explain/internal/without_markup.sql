-- The words of a text, as people look for them: without tags and entities of HTML, or without the marks, escapes and link
-- addresses of Markdown. No dialect of a platform is read here: that would take a search seconds.
--
-- p_parse_mode: null for plain text, which stays as it is.
create or replace function outrider.without_markup(p_text text, p_parse_mode text)
  returns text
  language sql
  immutable
  parallel safe
return case p_parse_mode
    when 'HTML' then (outrider.decode_entities(array[regexp_replace(p_text, '<[^<>]*>', '', 'g')], true))[1]
    when 'Markdown' then regexp_replace(p_text, '\]\([^()\s]*\)|[][*_~`|\\]', '', 'g')
    else p_text
  end;
