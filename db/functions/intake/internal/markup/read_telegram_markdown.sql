-- Reads a text in Telegram's MarkdownV2, as its server does.
--
-- One match decides whether a text has a reserved character; without one it is returned as it is. Any other text is cut
-- in one pass into runs of plain characters, each with the mark behind it; the entities that are open at a mark decide
-- what it means. Code and addresses are marks as a whole: no other mark has a meaning in them.
--
-- Returns: visible: the text after parsing, not trimmed; flat: the same with the address of each link
-- behind its words; fault: Telegram's own words, with the place in bytes where it gives one; first_entity:
-- the byte of visible at which the first entity that holds anything begins, null if there is none; fault_at: the byte
-- of the text at which the mark with the fault begins. With a fault the others are null.
create or replace function outrider.read_telegram_markdown(
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
  -- A mark that does not end matches to the end of the text, so that no character is read again and again.
  -- One or two ` within a block are code within it.
  c_token constant text := '((?:[^]\\_*[()~`>#+=|{}.!\n-]|\\.|\\$)*)'
    '([]_|*[()~>#+={}.!-]|__|\|\||!\[|\n>?|\]\((?:[^)\\]|\\.)*\)?|`(?:[^`\\]|\\.)*`?'
    '|```(?:[^`\\]|\\.|`(?:[^`\\]|\\.)+`|``(?:[^`\\]|\\.))*(?:```|``|`(?:[^`\\]|\\.)*)?|$)';
  v_run text;
  v_mark text;
  v_at integer; -- the byte at which the mark begins
  v_end integer := 0;
  v_part record;
  v_pieces text[] := '{}'::text[]; -- of the visible text
  v_size integer := 0; -- its bytes
  v_line_start boolean := true; -- the line shows nothing so far, so that > begins a quote
  v_in_quote boolean := false;
  v_opens text;
  v_closes boolean;
  v_top text := ''; -- the innermost open entity
  v_depth integer := 0;
  v_kinds text[] := '[0:0]={""}'::text[];
  v_starts integer[] := '{}'::integer[];
  v_sizes integer[] := '{}'::integer[];
  v_urls text[] := '{}'::text[];
  v_begins integer[] := '{}'::integer[];
  v_ends integer[] := '{}'::integer[];
begin
  if (p_text ~ '[]\\_*[()~`>#+=|{}.!-]') is not true then
    visible := p_text;
    flat := p_text;
    return;
  end if;

  for v_run, v_mark in select m[1], m[2] from regexp_matches(p_text, c_token, 'g') as m loop
    v_at := v_end + octet_length(v_run);
    v_end := v_at + octet_length(v_mark);
    if v_run <> '' then
      if strpos(v_run, '\') > 0 then
        -- usually every backslash escapes
        v_run := case when v_run ~ '\\(?:[^\u0001-\u007e]|\\|$)' then regexp_replace(v_run, '\\([\u0001-\u007e])', '\1', 'g') else replace(v_run, '\', '') end;
      end if;
      v_pieces := v_pieces || v_run;
      v_size := v_size + octet_length(v_run);
      v_line_start := strpos(v_run, e'\n') > 0 and v_run ~ '\n\r*$' or v_line_start and rtrim(v_run, e'\r') = '';
    end if;
    v_opens := null;
    v_closes := false;
    case
      when v_mark in ('*', '_', '__', '~', '||', '[', '![') then
        v_opens := case v_mark when '*' then 'Bold' when '_' then 'Italic' when '__' then 'Underline' when '~' then 'Strikethrough' when '||' then 'Spoiler' when '[' then 'TextUrl' else 'CustomEmoji' end;
        v_closes := v_opens = v_top and v_mark not in ('[', '![');
      when starts_with(v_mark, ']') and v_top in ('TextUrl', 'CustomEmoji') then
        v_part := outrider.read_telegram_address(v_mark, v_at, v_top);
        fault := v_part.fault;
        v_closes := true;
        if v_part.url is not null then
          v_urls := v_urls || v_part.url;
          v_begins := v_begins || v_sizes[v_depth];
          v_ends := v_ends || v_size;
        end if;
      when starts_with(v_mark, '`') then
        v_part := outrider.read_telegram_code(v_mark, v_at);
        fault := v_part.fault;
        if v_part.visible <> '' then
          first_entity := least(first_entity, v_size);
          v_pieces := v_pieces || v_part.visible;
          v_size := v_size + octet_length(v_part.visible);
          v_line_start := coalesce(v_part.is_line_start, v_line_start);
        end if;
      when v_mark in ('', e'\n') and v_in_quote then
        v_in_quote := false;
        v_closes := true;
        if v_top = 'Spoiler' and (v_starts[v_depth] = v_at - 2
          or v_starts[v_depth] = v_at - 3 and v_mark <> '' and v_pieces[cardinality(v_pieces)] ~ '\r$') then
          v_depth := v_depth - 1; -- || at the end of a quote makes it expandable
        end if;
        exit when v_kinds[v_depth] <> 'BlockQuote';
      when v_mark in (e'\n>', '>') and not v_in_quote and (v_line_start or v_mark <> '>') then
        v_opens := 'BlockQuote';
        v_in_quote := true;
      when v_mark in ('', e'\n', e'\n>') or v_mark = '>' and v_line_start then
        null;
      else
        fault := format('Character ''%s'' is reserved and must be escaped with the preceding ''\''', left(v_mark, 1));
    end case;
    exit when fault is not null;
    if starts_with(v_mark, e'\n') then
      v_pieces := v_pieces || e'\n'::text;
      v_size := v_size + 1;
      v_line_start := true;
    end if;
    if v_closes then
      if v_size > v_sizes[v_depth] then
        first_entity := least(first_entity, v_sizes[v_depth]);
      end if;
      v_depth := v_depth - 1;
      v_top := v_kinds[v_depth];
    elsif v_opens is not null then
      v_depth := v_depth + 1;
      v_top := v_opens;
      v_kinds[v_depth] := v_opens;
      v_starts[v_depth] := v_at;
      v_sizes[v_depth] := v_size;
    end if;
  end loop;

  fault_at := case when fault is not null then v_at end;
  if fault is null and v_depth > 0 then
    fault := format('Can''t find end of %s entity at byte offset %s', v_kinds[v_depth], v_starts[v_depth]);
    fault_at := v_starts[v_depth];
  end if;
  if fault is not null then
    first_entity := null;
  else
    visible := array_to_string(v_pieces, '');
    flat := case when v_urls = '{}' then visible else outrider.spell_out_links(visible, v_urls, v_begins, v_ends) end;
  end if;
end;
$$;
