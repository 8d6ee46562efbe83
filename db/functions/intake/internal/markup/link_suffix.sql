-- What follows the words of a link where there are no links: the address in parentheses. Nothing if the
-- words say it already, with or without its scheme and a slash at the end, or if it leads into an app (tg:,
-- max:) and not to a page.
create or replace function outrider.link_suffix(p_words text, p_url text)
  returns text
  language sql
  immutable
  parallel safe
return case
  when p_url = '' or p_url ~* '^(tg|max):' then ''
  when regexp_replace(p_words, '/$', '')
    in (regexp_replace(p_url, '/$', ''), regexp_replace(p_url, '^[A-Za-z][A-Za-z0-9+.-]*:(//)?|/$', '', 'g')) then ''
  else ' (' || p_url || ')'
end;
