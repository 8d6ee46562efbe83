-- A post without a template: its title, its text, and the links that the text does not name yet, with a
-- blank line between. What is missing leaves nothing behind.
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
  if p_payload ? 'links' then
    select string_agg(w.link, e'\n' order by l.place) into v_links
    from jsonb_array_elements_text(p_payload -> 'links') with ordinality as l (link, place)
    cross join lateral (select outrider.escape_markup(l.link, p_dialect) as link) w
    where not outrider.names_link(coalesce(p_text, ''), l.link)
      and not outrider.names_link(coalesce(p_text, ''), w.link);
  end if;
  return concat_ws(e'\n\n', nullif(v_title, ''), nullif(p_text, ''), v_links);
end;
$$;
