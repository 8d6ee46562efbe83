-- The fault of a template's body, with the number of the character where it stands (the first is 1); null when there
-- is none.
--
-- {{name}} is a placeholder. {{#name}}…{{/name}} is shown when the value is not empty,
-- {{^name}}…{{/name}} when it is; sections nest up to 10 deep. Spaces and tabs may stand inside the
-- braces. Single braces are text. There is no escape: double braces can only come from a value.
create or replace function outrider.template_fault(p_body text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_token text;
  v_shown text;
  v_tag text[];
  v_at integer := 1;
  v_depth integer := 0;
  v_names text[]; -- of the open sections, the outermost first
  v_openings text[];
  v_places integer[];
begin
  for v_token in
    select m.token[1]
    from regexp_matches(p_body, '([^{}]+|\{\{[^{}]*\}\}|\{\{|\}\}|[{}])', 'g') as m (token)
  loop
    v_shown := left(v_token, 80);
    if v_token = '}}' then
      return format('character %s: "}}" ends nothing; take it away, or write single braces', v_at);
    elsif v_token = '{{' then
      return format(
        'character %s: "{{" is not followed by a name and "}}"; write {{name}}, or single braces', v_at);
    elsif left(v_token, 2) = '{{' then
      v_tag := regexp_match(v_token, '^\{\{[ \t]*([#^/]?)[ \t]*([a-z][a-z0-9_]*)[ \t]*\}\}$');
      if v_tag is null then
        return format(
          'character %s: "%s" names nothing; write {{name}}, {{#name}}, {{^name}} or {{/name}} with a name of '
          || 'a-z, 0-9 and _ that begins with a letter', v_at, v_shown);
      elsif v_tag[1] in ('#', '^') then
        if v_depth = 10 then
          return format(
            'character %s: %s would be the 11th section inside one another; at most 10 may nest', v_at, v_shown);
        end if;
        v_depth := v_depth + 1;
        v_names[v_depth] := v_tag[2];
        v_openings[v_depth] := v_shown;
        v_places[v_depth] := v_at;
      elsif v_tag[1] = '/' then
        if v_depth = 0 then
          return format(
            'character %s: %s closes no section; take it away, or open the section before it', v_at, v_shown);
        elsif v_names[v_depth] <> v_tag[2] then
          return format(
            'character %s: %s cannot close %s of character %s; write {{/%s}} before it',
            v_at, v_shown, v_openings[v_depth], v_places[v_depth], left(v_names[v_depth], 80));
        end if;
        v_depth := v_depth - 1;
      end if;
    end if;
    v_at := v_at + length(v_token);
  end loop;

  if v_depth > 0 then
    return format(
      'character %s: %s is never closed; write {{/%s}} where the section ends',
      v_places[v_depth], v_openings[v_depth], left(v_names[v_depth], 80));
  end if;
  return null;
end;
$$;
