-- Reads a text in the HTML that Telegram takes, as its server does.
--
-- Returns: visible: the text after parsing, not trimmed; flat: the same with the address of each link
-- behind its words; fault: null or Telegram's own words, with the place in bytes where it gives one;
-- first_entity: the byte of visible at which the first tag that holds anything begins, null if there is none;
-- fault_at: the byte of the text at which the tag with the fault begins. With a fault the others are null.
create or replace function outrider.read_telegram_html(
  p_text text,
  out visible text,
  out flat text,
  out fault text,
  out first_entity integer,
  out fault_at integer
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  -- Every < begins a tag; it ends with the next > outside quotes, or with the text.
  c_tag constant text := '<(?:[^>"'']|"[^"]*"|''[^'']*'')*(?:>|"[^"]*$|''[^'']*$|$)';
  c_surrogate constant text := '&#(?:x0{0,2}[dD][89a-fA-F][0-9a-fA-F]{2}(?![0-9a-fA-F])|0{0,2}(?:5529[6-9]|55[3-9][0-9]{2}|56[0-9]{3}|57[0-2][0-9]{2}|573[0-3][0-9]|5734[0-3])(?![0-9]))';
  v_raw text[]; -- the text between the tags
  v_words text[]; -- the same with its entities decoded
  v_tags text[];
  v_tag text := '';
  v_offset integer := 0; -- the byte at which the tag begins
  v_at integer := 0; -- the bytes of visible text before the tag
  v_open record;
  v_depth integer := 0; -- how many tags are open
  v_names text[] := '{}'::text[];
  v_arguments text[] := '{}'::text[];
  v_begins integer[] := '{}'::integer[];
  v_offsets integer[] := '{}'::integer[];
  v_urls text[] := '{}'::text[];
  v_link_begins integer[] := '{}'::integer[];
  v_link_ends integer[] := '{}'::integer[];
  v_name text;
begin
  visible := p_text;
  flat := p_text;
  if p_text is null or strpos(p_text, '<') = 0 and strpos(p_text, '&') = 0 then
    return;
  end if;

  v_raw := regexp_split_to_array(p_text, c_tag);
  v_tags := array(select m.found[1] from regexp_matches(p_text, c_tag, 'g') as m (found));
  v_words := v_raw;
  if strpos(p_text, '&') > 0 then
    v_words := outrider.decode_entities(v_raw);
  end if;
  visible := array_to_string(v_words, '');

  for i in 1 .. cardinality(v_tags) loop
    v_offset := v_offset + octet_length(v_tag) + octet_length(v_raw[i]);
    v_at := v_at + octet_length(v_words[i]);
    v_tag := v_tags[i];
    if not starts_with(v_tag, '</') then
      v_depth := v_depth + 1;
      v_begins[v_depth] := v_at;
      v_offsets[v_depth] := v_offset;
      if v_tag in ('<b>', '<i>', '<u>', '<s>', '<code>', '<pre>', '<blockquote>') then
        v_names[v_depth] := substr(v_tag, 2, length(v_tag) - 2);
      else
        v_open := outrider.telegram_start_tag(v_tag, v_offset);
        fault := v_open.fault;
        exit when fault is not null;
        v_names[v_depth] := v_open.name;
        v_arguments[v_depth] := v_open.argument;
      end if;
      continue;
    end if;

    v_name := v_names[v_depth];
    if v_name is null or v_tag <> '</' || v_name || '>' or starts_with(v_name, 'tg-') then
      fault := outrider.telegram_end_tag_fault(v_tag, v_offset, v_name, v_arguments[v_depth], v_at > v_begins[v_depth]);
      exit when fault is not null;
    end if;
    if v_at > v_begins[v_depth] then
      first_entity := least(first_entity, v_begins[v_depth]);
    end if;
    if v_name = 'a' and v_arguments[v_depth] <> '' then
      v_urls := v_urls || v_arguments[v_depth];
      v_link_begins := v_link_begins || v_begins[v_depth];
      v_link_ends := v_link_ends || v_at;
    end if;
    v_depth := v_depth - 1;
  end loop;

  fault_at := case when fault is not null then v_offset end;
  if fault is null and v_depth > 0 then
    fault := format('Can''t find end tag corresponding to start tag "%s"', v_names[v_depth]);
    fault_at := v_offsets[v_depth];
  elsif fault is null and array_to_string(v_raw, ' ') ~ c_surrogate then
    fault := 'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units';
  end if;
  visible := case when fault is null then visible end;
  first_entity := case when fault is null then first_entity end;
  flat := case when fault is not null or v_urls = '{}' then visible else outrider.spell_out_links(visible, v_urls, v_link_begins, v_link_ends) end;
end;
$$;
