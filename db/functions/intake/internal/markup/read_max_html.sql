-- Reads a text in the HTML that MAX takes. MAX strips the tags that it does not know, and it is not known to refuse any
-- markup, so nothing is a fault: a tag that is left open reaches to the end of the text, and one that
-- closes nothing is stripped.
--
-- Comments and declarations are stripped like unknown tags. A < that begins no tag, comment or declaration is text, and
-- so is one that begins them but does not end.
--
-- Returns: visible: the text without tags, not trimmed; flat: the same with the address of each link
-- behind its words; fault: always null.
create or replace function outrider.read_max_html(
  p_text text,
  out visible text,
  out flat text,
  out fault text
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  -- A > in quotes that follow an equals sign does not end the tag.
  c_equals constant text := '=[= \t\r\n\v]*';
  c_begin constant text := '</?[A-Za-z](?:[^>=]|' || c_equals || '(?:"[^"]*"|''[^'']*''|[^>= \t\r\n\v"'']))*';
  c_comment constant text := '<!--(?:[^-]|-[^-]|--+[^->])*';
  c_declaration constant text := '<(?:[?][^>]*|!-?(?:[^->][^>]*)?)';
  c_whole constant text := c_begin || '(?:' || c_equals || ')?>|' || c_comment || '--+>|' || c_declaration || '>';
  -- A tag that does not end matches to the end of the text, so that no character is read again and again.
  c_never constant text := c_begin || '(?:' || c_equals || '(?:"[^"]*|''[^'']*)?)?$|' || c_comment || '-*$|' || c_declaration || '$';
  c_tag constant text := c_whole || '|' || c_never;
  v_words text[]; -- the text between the tags
  v_tags text[];
  v_last integer;
  v_at integer := 0; -- the bytes of visible text before the tag
  v_depth integer := 0; -- how many links are open
  v_hrefs text[] := '{}'::text[];
  v_begins integer[] := '{}'::integer[];
  v_urls text[] := '{}'::text[];
  v_link_begins integer[] := '{}'::integer[];
  v_link_ends integer[] := '{}'::integer[];
begin
  visible := p_text;
  flat := p_text;
  fault := null;
  if p_text is null or strpos(p_text, '<') = 0 and strpos(p_text, '&') = 0 then
    return;
  end if;

  v_words := regexp_split_to_array(p_text, c_tag);
  v_tags := array(select m.found[1] from regexp_matches(p_text, c_tag, 'g') as m (found));
  v_last := cardinality(v_tags);
  if v_words[v_last + 1] = '' and v_tags[v_last] !~ ('^(?:' || c_whole || ')$') then
    v_words := v_words[: v_last - 1] || (v_words[v_last] || v_tags[v_last]);
    v_last := v_last - 1;
  end if;
  if strpos(p_text, '&') > 0 then
    v_words := outrider.decode_entities(v_words, true);
  end if;
  visible := array_to_string(v_words, '');
  flat := visible;
  if p_text !~ '<[Aa][ \t\r\n\v/>]' then
    return;
  end if;

  -- The end of the text closes what is open.
  for i in 1 .. v_last + 1 loop
    v_at := v_at + octet_length(v_words[i]);
    if v_tags[i] ~ '^<[Aa][ \t\r\n\v/>]' and i <= v_last then
      v_depth := v_depth + 1;
      v_begins[v_depth] := v_at;
      v_hrefs[v_depth] := outrider.max_href(v_tags[i]);
    end if;
    while v_depth > 0 and (i > v_last or v_tags[i] ~ '^</[Aa][ \t\r\n\v/>]') loop
      if v_hrefs[v_depth] <> '' then
        v_urls := v_urls || v_hrefs[v_depth];
        v_link_begins := v_link_begins || v_begins[v_depth];
        v_link_ends := v_link_ends || v_at;
      end if;
      v_depth := v_depth - 1;
      exit when i <= v_last;
    end loop;
  end loop;
  if v_urls <> '{}' then
    flat := outrider.spell_out_links(visible, v_urls, v_link_begins, v_link_ends);
  end if;
end;
$$;
