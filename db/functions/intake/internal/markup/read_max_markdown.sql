-- Reads a text in the Markdown of MAX: *i* _i_ **b** __b__ ~~s~~ ++u++ ^^highlight^^ `code` ```block```
-- [words](address), # heading and > quote at the start of a line, and \ before punctuation.
--
-- MAX refuses no markup and documents only these forms, so the usual rules of Markdown hold. A mark opens only
-- before a character that is not white space, and closes only behind one. _ neither opens nor closes within a
-- word. A mark closes the nearest open one of its kind. A mark that was opened between the two, or that does not
-- close, is shown as it is.
--
-- Returns: visible: what a reader sees; flat: the same with the address of each link behind its words;
-- fault: always null.
create or replace function outrider.read_max_markdown(
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
  c_token constant text := '((?:[^]\\*_~+^\n[]|\\[^\n])*)'
    '(\*+|_+|~+|\++|\^+|\[|\](?:\((?:[^()\\ \t\r\n\v\f]|\\[^ \t\r\n\v\f]|\((?:[^()\\ \t\r\n\v\f]|\\[^ \t\r\n\v\f])*\))*\))?'
    '|\n(?:> ?)?(?:#[ \t]+)?|\\|$)';
  c_escape constant text := '\\([!-/:-@[-`{-~])';
  c_space constant text := e' \t\r\n\x0b\f';
  -- neither white space nor punctuation nor a pictogram
  c_word constant text := '[^\u0001-/:-@[-`{-\u00bf\u2000-\u2bff\u3000-\u303f\ufe00-\ufe0f\U0001f000-\U0001faff]';
  v_runs text[];
  v_marks text[];
  v_run text;
  v_mark text;
  v_sign text;
  v_kind integer;
  v_left integer; -- how many signs of the mark are not used yet
  v_used integer;
  v_before text;
  v_after text;
  v_opens boolean;
  v_closes boolean;
  v_pieces text[] := '{}'::text[]; -- of the visible text: run, mark, run, mark …
  v_depth integer := 0; -- how many marks are open
  v_kinds integer[] := '{}'::integer[];
  v_places integer[] := '{}'::integer[];
  v_lefts integer[] := '{}'::integer[];
  v_open integer[] := array[0, 0, 0, 0, 0, 0]; -- how many are open of each kind
  v_sizes integer[] := '[0:0]={0}'::integer[];
  v_urls text[] := '{}'::text[];
  v_begins integer[] := '{}'::integer[];
  v_ends integer[] := '{}'::integer[];
begin
  if (p_text ~ '[\\*_`[]|~~|\+\+|\^\^|(?:^|\n)[>#]') is not true then
    visible := p_text;
    flat := p_text;
    return;
  end if;

  -- With a line break before it, the first line begins like every other.
  visible := e'\n' || case when strpos(p_text, '`') > 0 then outrider.escape_max_code(p_text) else p_text end;
  select array_agg(m[1]), array_agg(m[2]) into v_runs, v_marks from regexp_matches(visible, c_token, 'g') as m;

  for i in 1 .. cardinality(v_marks) loop
    v_run := v_runs[i];
    v_mark := v_marks[i];
    v_sign := left(v_mark, 1);
    v_kind := strpos('*_~+^[', translate(v_sign, ']', '['));
    v_left := case v_sign when ']' then 1 else length(v_mark) end;
    v_opens := v_sign = '[';
    v_closes := v_sign = ']' and v_mark <> ']';
    if v_sign in ('*', '_') or v_sign in ('~', '+', '^') and v_left = 2 then
      v_before := case when v_run <> '' then right(v_run, 1) when v_marks[i - 1] ~ '^\n' then ' ' else right(v_marks[i - 1], 1) end;
      v_after := left(v_runs[i + 1] || v_marks[i + 1], 1);
      v_opens := strpos(c_space, v_after) = 0 and (v_sign <> '_' or v_before !~ c_word);
      v_closes := strpos(c_space, v_before) = 0 and (v_sign <> '_' or v_after !~ c_word);
    end if;

    while v_closes and v_left > 0 and v_open[v_kind] > 0 loop
      if v_kinds[v_depth] = v_kind then
        v_used := least(v_left, v_lefts[v_depth]);
        v_left := v_left - v_used;
        v_lefts[v_depth] := v_lefts[v_depth] - v_used;
        if v_sign = ']' then
          v_urls := v_urls || regexp_replace(substr(v_mark, 3, length(v_mark) - 3), c_escape, '\1', 'g');
          v_begins := v_begins || v_places[v_depth];
          v_ends := v_ends || 2 * i;
        end if;
      end if;
      if v_kinds[v_depth] <> v_kind or v_lefts[v_depth] = 0 then
        v_pieces[v_places[v_depth]] := left(v_pieces[v_places[v_depth]], v_lefts[v_depth]);
        v_open[v_kinds[v_depth]] := v_open[v_kinds[v_depth]] - 1;
        v_depth := v_depth - 1;
      end if;
    end loop;

    v_pieces := v_pieces || case when strpos(v_run, '\') > 0 then regexp_replace(v_run, c_escape, '\1', 'g') else v_run end;
    v_pieces := v_pieces || case v_sign when e'\n' then v_sign when ']' then repeat(regexp_replace(v_mark, c_escape, '\1', 'g'), v_left) else left(v_mark, v_left) end;
    if v_opens and v_left > 0 then
      v_depth := v_depth + 1;
      v_kinds[v_depth] := v_kind;
      v_places[v_depth] := 2 * i;
      v_lefts[v_depth] := v_left;
      v_open[v_kind] := v_open[v_kind] + 1;
    end if;
  end loop;

  for i in 1 .. v_depth loop
    v_pieces[v_places[i]] := left(v_pieces[v_places[i]], v_lefts[i]);
  end loop;
  visible := array_to_string(v_pieces, '');
  flat := visible;
  if v_urls <> '{}' then
    for i in 1 .. cardinality(v_pieces) loop
      v_sizes[i] := v_sizes[i - 1] + octet_length(v_pieces[i]);
    end loop;
    for i in 1 .. cardinality(v_urls) loop
      v_begins[i] := v_sizes[v_begins[i]];
      v_ends[i] := v_sizes[v_ends[i]];
    end loop;
    flat := outrider.spell_out_links(visible, v_urls, v_begins, v_ends);
  end if;
  visible := substr(visible, 2);
  flat := substr(flat, 2);
  fault := null;
end;
$$;
