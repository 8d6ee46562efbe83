-- Fills the values into a template. The body has no fault (template_fault, which describes the language). `text` stands
-- for p_text, every other name for its value in p_values, and a name without a value for nothing.
--
-- p_text is already in the dialect and goes in as it is; values are plain text and are escaped for it. What
-- was filled in is never read as a template again. A line of the template is left out, with its line break, when its
-- tags leave only blanks on it. Of several empty lines in a row one stays, and the ends are trimmed; lines within a
-- value stay as they are. Rendering stops past 1 MiB, far more than any platform takes: a template that repeats a long
-- text must fail in its own channels, and not fail the whole enqueue.
create or replace function outrider.render_template(p_body text, p_values jsonb, p_text text, p_dialect text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_token text;
  v_sign text;
  v_name text;
  v_value text;
  v_lines text[] := '{}'::text[];
  v_line text[] := '{}'::text[]; -- an array, because a text would be copied with each piece that is added
  v_tagged boolean := false;
  v_blank boolean := true;
  v_hidden integer := 0; -- how many sections are open, counted from the outermost hidden one
  v_bytes integer := 0;
begin
  for v_token in
    select m.token[1]
    -- without captures, which would cost six times as much
    from regexp_matches(replace(p_body, e'\r\n', e'\n'), '\{\{[^}]*\}\}|\n|[^{\n]+|\{', 'g') as m (token)
  loop
    if starts_with(v_token, '{{') then
      v_tagged := true;
      v_sign := left(btrim(v_token, e'{} \t'), 1);
      if v_hidden > 0 then
        v_hidden := v_hidden + case v_sign when '#' then 1 when '^' then 1 when '/' then -1 else 0 end;
        continue;
      end if;
      continue when v_sign = '/';
      v_name := btrim(v_token, e'{} \t#^');
      v_value := coalesce(
        case
          when v_name = 'text' then p_text
          when p_dialect is null then p_values ->> v_name
          else outrider.escape_markup(p_values ->> v_name, p_dialect)
        end, '');
      if v_sign in ('#', '^') then
        v_hidden := case when (v_value = '') = (v_sign = '#') then 1 else 0 end;
      elsif v_value <> '' then
        v_line := v_line || v_value;
        v_blank := false;
        v_bytes := v_bytes + octet_length(v_value);
        exit when v_bytes > 1048576;
      end if;
    elsif v_hidden > 0 then
      continue;
    elsif v_token = e'\n' then
      if not (v_tagged and v_blank or v_line = '{}' and v_lines[cardinality(v_lines)] = '') then
        v_lines := v_lines || array_to_string(v_line, '');
      end if;
      v_line := '{}'::text[];
      v_tagged := false;
      v_blank := true;
    else
      v_line := v_line || v_token;
      v_blank := v_blank and btrim(v_token, e' \t') = '';
    end if;
  end loop;

  v_lines := v_lines || array_to_string(v_line, '');
  return btrim(array_to_string(v_lines, e'\n'), e' \t\n');
end;
$$;
