-- Reads a start tag of Telegram's HTML.
--
-- p_tag: from its < to its >, or to the end of the text. p_offset: the byte at which it begins.
-- Returns: its name in lower case and the argument that gives it a meaning (href of a, class of span,
-- emoji-id of tg-emoji, format of tg-time; else empty), or the fault in Telegram's words.
create or replace function outrider.telegram_start_tag(
  p_tag text,
  p_offset integer,
  out name text,
  out argument text,
  out fault text
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  -- Telegram's white space has no form feed; a value without quotes has only letters, digits, . and -
  c_part constant text := '[^ \t\r\n\v=>/"'']';
  c_equals constant text := '[ \t\r\n\v]*=[ \t\r\n\v]*';
  c_whole constant text := '^(?:[ \t\r\n\v]|' || c_part || '(?:' || c_equals || '(?:"[^"]*"|''[^'']*''|[A-Za-z0-9.-]+[ \t\r\n\v]))?)*';
  v_attributes text;
  v_carrier text;
begin
  -- a link as most people write it
  argument := substring(p_tag from '^<a href="([^"]*)">$');
  if argument is not null then
    name := 'a';
    argument := (outrider.decode_entities(array[argument]))[1];
    return;
  end if;

  name := lower(substring(p_tag from '^<([^ \t\r\n\v>]*)') collate "C");
  v_attributes := substr(p_tag, length(name) + 2);
  if v_attributes = '' then
    fault := format('Unclosed start tag at byte offset %s', p_offset);
  elsif name not in ('a', 'b', 'strong', 'i', 'em', 's', 'strike', 'del', 'u', 'ins', 'tg-spoiler', 'tg-emoji', 'tg-time', 'span', 'pre', 'code', 'blockquote') then
    fault := format('Unsupported start tag "%s" at byte offset %s', name, p_offset);
  elsif v_attributes ~ (c_whole || '(?:' || c_part || c_equals || '[A-Za-z0-9.-]*)?>$') then
    v_carrier := case name when 'a' then 'href' when 'span' then 'class' when 'tg-emoji' then 'emoji-id' when 'tg-time' then 'format' end;
    argument := '';
    if v_carrier is not null then
      argument := coalesce((
        select v.value
        from outrider.tag_attributes(p_tag) a
        cross join lateral (
          select case when a.is_quoted then (outrider.decode_entities(array[a.value]))[1] else lower(a.value collate "C") end as value
        ) v
        where a.name = v_carrier and v.value is not null and (v_carrier <> 'class' or starts_with(v.value, 'tg-'))
        order by a.place desc
        limit 1
      ), '');
    end if;
    if name = 'span' and argument <> 'tg-spoiler' then
      fault := format('Tag "span" must have class "tg-spoiler" at byte offset %s', p_offset);
    end if;
  elsif v_attributes ~ (c_whole || c_part || '(?:[ \t\r\n\v]*|' || c_equals || ')$') then
    fault := format('Unclosed start tag "%s" at byte offset %s', name, p_offset);
  elsif v_attributes ~ (c_whole || c_part || c_equals || '(?:"[^"]*"?|''[^'']*''?|[A-Za-z0-9.-]+)$') then
    fault := format('Unclosed start tag at byte offset %s', p_offset);
  elsif v_attributes ~ (c_whole || c_part || c_equals || '(?:[A-Za-z0-9.-]+[^ \t\r\n\v>A-Za-z0-9.-]|[^ \t\r\n\v>"''A-Za-z0-9.-])') then
    fault := format('Unexpected end of name token at byte offset %s', p_offset + 1 + octet_length(name) + octet_length(
      substring(v_attributes from '(' || c_whole || c_part || c_equals || ')')));
  else
    fault := format('Empty attribute name in the tag "%s" at byte offset %s', name, p_offset);
  end if;
end;
$$;
