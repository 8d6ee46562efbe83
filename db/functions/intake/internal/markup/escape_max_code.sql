-- Turns the code of a text in MAX's Markdown into plain text: removes the ` around it, an equal number on both
-- sides, and escapes what stands between them. A ` that does not close is escaped itself.
--
-- A block (three ` or more) loses its language, if a line break follows it, and its last line break.
create or replace function outrider.escape_max_code(p_text text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  c_punctuation constant text := '([!-/:-@[-`{-~])';
  v_runs text[];
  v_marks text[];
  v_widths integer[];
  v_last integer[] := '{}'::integer[]; -- for each number of `: the last mark that has so many
  v_code text[];
  v_width integer := 0;
  v_pieces text[] := '{}'::text[];
begin
  select array_agg(m[1]), array_agg(m[2]), array_agg(length(ltrim(m[2], '\')))
  into v_runs, v_marks, v_widths
  from regexp_matches(p_text, '((?:[^\\`]|\\[^`])*)(\\?`*)', 'g') as m;
  for i in 1 .. cardinality(v_widths) loop
    v_last[v_widths[i]] := i;
  end loop;

  for i in 1 .. cardinality(v_marks) loop
    if v_code is null then
      v_pieces := v_pieces || v_runs[i];
      v_width := v_widths[i];
      if v_width > 0 and starts_with(v_marks[i], '\') then
        v_pieces := v_pieces || '\`'::text;
        v_width := v_width - 1;
      elsif v_width = 0 then
        v_pieces := v_pieces || v_marks[i];
      end if;
      if v_width > 0 and v_last[v_width] > i then
        v_code := '{}';
      else
        v_pieces := v_pieces || repeat('\`', v_width);
      end if;
    elsif v_widths[i] <> v_width then
      v_code := v_code || (v_runs[i] || v_marks[i]);
    else
      v_code := v_code || (v_runs[i] || rtrim(v_marks[i], '`'));
      v_pieces := v_pieces || regexp_replace(
        case
          when v_width < 3 then array_to_string(v_code, '')
          else regexp_replace(array_to_string(v_code, ''), '^[^ \t\r\n\v\f]*\r?\n|\r?\n$', '', 'g')
        end, c_punctuation, '\\\1', 'g');
      v_code := null;
    end if;
  end loop;
  return array_to_string(v_pieces, '');
end;
$$;
