-- Lays out a post without a template: its title, its text, and the links that the text does not name yet, with
-- blank lines between them. A missing part leaves no blank line.
--
-- p_text: the post's text, already in the dialect; the rest is escaped here.
create or replace function outrider.lay_out_post(p_payload jsonb, p_text text, p_dialect text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_title text := p_payload ->> 'title';
  v_link text;
  v_written text;
  v_links text;
begin
  if v_title is not null then
    v_title := outrider.escape_markup(v_title, p_dialect);
    v_title := case
      when p_dialect in ('telegram_html', 'max_html') then '<b>' || v_title || '</b>'
      when p_dialect = 'telegram_markdown' then '*' || v_title || '*'
      when p_dialect = 'max_markdown' then '**' || v_title || '**'
      else v_title
    end;
  end if;
  for v_place in 0 .. coalesce(jsonb_array_length(p_payload -> 'links'), 0) - 1 loop
    v_link := p_payload -> 'links' ->> v_place;
    v_written := outrider.escape_markup(v_link, p_dialect);
    if not (outrider.names_link(coalesce(p_text, ''), v_link)
      or v_written <> v_link and outrider.names_link(coalesce(p_text, ''), v_written))
    then
      v_links := concat_ws(e'\n', v_links, v_written);
    end if;
  end loop;
  return concat_ws(e'\n\n', nullif(v_title, ''), nullif(p_text, ''), v_links);
end;
$$;
