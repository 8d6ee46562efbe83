-- The beginning of a text in Markdown that shows p_length characters, then an ellipsis, then the marks that close what
-- is open.
--
-- It takes every mark for what it most often is. Its caller reads the result to see whether that was right.
-- p_is_max: marks as in MAX's Markdown; otherwise as in Telegram's.
-- Returns: link_at instead of the head, when the cut would be within a link: how many characters are shown before it.
create or replace function outrider.markdown_head(
  p_text text,
  p_is_max boolean,
  p_length integer,
  out head text,
  out link_at integer
)
  language plpgsql
  immutable
  parallel safe
as $$
declare
  c_code constant text := '```(?:[^ \t\r\n\v`]+(?=[ \t\r\n\v]))?(?:\r\n?|\n\r?)?|`+';
  c_link constant text := '\[|\]\((?:[^)\\]|\\.)*\)';
  c_mark constant text := case
    when p_is_max then '\*\*|__|~~|\+\+|\^\^|[*_]|' || c_link
    else '\|\||__|[*_~]|!\[|' || c_link
  end;
  c_token constant text := '\\.|' || c_code || '|' || c_mark
    || case when p_is_max then '|\n> ?|\n#+[ \t]+|[^]\\`*_~+^\n[]+' else '|\n>|[^]\\`|_*~!>\n[]+' end || '|.';
  -- Signs of MAX's Markdown that are no marks: with blanks on both sides, and _ within a word.
  c_no_mark constant text := '^(?:[ \n]?[*_~+^]+[ \n]|[0-9A-Za-z\u0400-\u04ff]_+[0-9A-Za-z\u0400-\u04ff])$';
  v_token text;
  v_words integer; -- how many characters the token shows
  v_end integer := 0;
  v_shown integer := 0;
  v_open text[] := '{}'::text[];
  v_places integer[] := '{}'::integer[];
  v_top text;
  v_is_mark boolean;
begin
  for v_token in select m.found[1] from regexp_matches(p_text, c_token, 'g') as m (found) loop
    v_top := v_open[cardinality(v_open)];
    v_words := length(v_token);
    v_is_mark := false;
    if v_token ~ '^\\[!-/:-@[-`{-~]' then
      v_words := 1;
    elsif starts_with(coalesce(v_top, ''), '`') then
      v_is_mark := v_token = v_top;
    elsif v_token ~ '^`' then
      v_is_mark := true;
    elsif v_token ~ '^\n(?:>|#)' or v_token = '>' and v_end = 0 then
      v_words := least(1, length(v_token) - 1);
    else
      v_is_mark := v_token ~ ('^(?:' || c_mark || ')$')
        and not (p_is_max and substr(p_text, v_end, length(v_token) + 2) ~ c_no_mark);
    end if;
    if not v_is_mark then
      exit when v_shown = p_length;
      if v_shown + v_words > p_length then
        v_end := v_end + p_length - v_shown;
        v_shown := p_length;
        exit;
      end if;
      v_shown := v_shown + v_words;
    elsif starts_with(v_token, ']') or v_token = v_top then
      v_open := v_open[: cardinality(v_open) - 1];
    else
      exit when v_shown = p_length;
      v_open := v_open || case when v_token ~ '^`' then substring(v_token from '^`+') else v_token end;
      v_places[cardinality(v_open)] := v_shown;
    end if;
    v_end := v_end + length(v_token);
  end loop;

  link_at := v_places[coalesce(array_position(v_open, '['), array_position(v_open, '!['))];
  if link_at is null then
    head := left(p_text, v_end) || '…' || coalesce((
      select string_agg(o.mark, '' order by o.n desc) from unnest(v_open) with ordinality as o (mark, n)), '');
  end if;
end;
$$;
