-- Reads a text in the HTML that MAX takes. MAX strips the tags that it does not know, and says nowhere
-- what it does with the broken use of those that it knows, so that is a fault: a tag left open, closed
-- without being open, closed in the wrong order, or without its ">".
--
-- Comments and declarations are stripped like unknown tags; a < that begins neither these nor a name is
-- text, and so is what begins like one and does not end.
--
-- Returns: visible: the text without tags, not trimmed; flat: the same with the address of each link
-- behind its words; fault: null, or which tag is at fault and at which character. A text with a fault has
-- no visible and no flat form: they are null.
create or replace function outrider.read_max_html(
  p_text text,
  out visible text,
  out flat text,
  out fault text
)
  language plpgsql
  immutable
  parallel safe
  set search_path = outrider, pg_temp
as $$
declare
  -- A > counts for nothing in quotes that follow an equals sign.
  c_equals constant text := '=[= \t\r\n\v]*';
  c_begin constant text := '</?[A-Za-z](?:[^>=]|' || c_equals || '(?:"[^"]*"|''[^'']*''|[^>= \t\r\n\v"'']))*';
  c_comment constant text := '<!--(?:[^-]|-[^-]|--+[^->])*';
  c_declaration constant text := '<(?:[?][^>]*|!-?(?:[^->][^>]*)?)';
  c_whole constant text := c_begin || '(?:' || c_equals || ')?>|' || c_comment || '--+>|' || c_declaration || '>';
  c_never constant text := c_begin || '(?:' || c_equals || '(?:"[^"]*|''[^'']*)?)?$|' || c_comment || '-*$|' || c_declaration || '$';
  c_tag constant text := c_whole || '|' || c_never;
  c_name constant text := '^</?([^ \t\r\n\v/>]*)';
  v_raw text[]; -- what stands between the tags, and with its entities decoded
  v_words text[];
  v_tags text[];
  v_last integer;
  v_unfinished text; -- the last tag, if it does not end
  v_tag text := '';
  v_place integer := 1; -- the character at which the tag stands
  v_at integer := 0; -- the bytes that a reader has seen by then
  v_name text;
  v_depth integer := 0; -- of the tags that are open
  v_names text[] := '{}'::text[];
  v_places integer[] := '{}'::integer[];
  v_hrefs text[] := '{}'::text[];
  v_begins integer[] := '{}'::integer[];
  v_urls text[] := '{}'::text[];
  v_link_begins integer[] := '{}'::integer[];
  v_link_ends integer[] := '{}'::integer[];
begin
  visible := p_text;
  flat := p_text;
  if p_text is null or strpos(p_text, '<') = 0 and strpos(p_text, '&') = 0 then
    return;
  end if;

  v_raw := regexp_split_to_array(p_text, c_tag);
  v_tags := array(select m.found[1] from regexp_matches(p_text, c_tag, 'g') as m (found));
  v_last := cardinality(v_tags);
  if v_raw[v_last + 1] = '' and v_tags[v_last] !~ ('^(?:' || c_whole || ')$') then
    v_unfinished := v_tags[v_last];
    v_raw := v_raw[: v_last - 1] || (v_raw[v_last] || v_unfinished);
    v_last := v_last - 1;
  end if;
  v_words := v_raw;
  if strpos(p_text, '&') > 0 then
    v_words := outrider.decode_entities(v_raw, true);
  end if;
  visible := array_to_string(v_words, '');

  for i in 1 .. v_last loop
    v_place := v_place + length(v_tag) + length(v_raw[i]);
    v_at := v_at + octet_length(v_words[i]);
    v_tag := v_tags[i];
    v_name := lower(substring(v_tag from c_name) collate "C");
    continue when v_name not in ('i', 'em', 'b', 'strong', 's', 'del', 'u', 'ins', 'a', 'pre', 'code', 'mark', 'h1', 'blockquote');
    if not starts_with(v_tag, '</') then
      v_depth := v_depth + 1;
      v_names[v_depth] := v_name;
      v_places[v_depth] := v_place;
      v_begins[v_depth] := v_at;
      if v_name = 'a' then
        v_hrefs[v_depth] := outrider.max_href(v_tag);
      end if;
      continue;
    end if;

    if v_name is distinct from v_names[v_depth] then
      fault := case when v_name = any (v_names[: v_depth]) then
        format('The tag </%s> at character %s comes too early: <%s> at character %s is still open',
          v_name, v_place, v_names[v_depth], v_places[v_depth])
      else format('The tag </%s> at character %s closes nothing: no <%s> is open', v_name, v_place, v_name) end;
      exit;
    end if;
    if v_name = 'a' and v_hrefs[v_depth] <> '' then
      v_urls := v_urls || v_hrefs[v_depth];
      v_link_begins := v_link_begins || v_begins[v_depth];
      v_link_ends := v_link_ends || v_at;
    end if;
    v_depth := v_depth - 1;
  end loop;

  if fault is null and lower(substring(v_unfinished from c_name) collate "C") in ('i', 'em', 'b', 'strong', 's', 'del', 'u', 'ins', 'a', 'pre', 'code', 'mark', 'h1', 'blockquote') then
    fault := format('The tag %s at character %s has no ">"',
      substring(v_unfinished from '^</?[^ \t\r\n\v/>]*'), length(p_text) - length(v_unfinished) + 1);
  elsif fault is null and v_depth > 0 then
    fault := format('The tag <%s> at character %s is not closed', v_names[v_depth], v_places[v_depth]);
  end if;
  visible := case when fault is null then visible end;
  flat := case when fault is not null or v_urls = '{}' then visible else outrider.spell_out_links(visible, v_urls, v_link_begins, v_link_ends) end;
end;
$$;
