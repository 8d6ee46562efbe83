-- A text as normal_text writes it, but with the white space of its code as it came: between the tags pre and
-- code of HTML, and between equal runs of backticks of Markdown. Line ends are of one kind there too.
--
-- p_format: HTML or Markdown; null: plain text, which has no code.
create or replace function outrider.text_with_code(p_text text, p_format text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  c_mark constant text := case p_format when 'HTML' then '</?(?:pre|code)(?:[ \t\n/][^<>]*)?>' when 'Markdown' then '\\.|`+' end;
  c_opens constant text := case p_format when 'HTML' then '^<([a-z]+)' else '^(`+)$' end;
  c_closes constant text := case p_format when 'HTML' then '^</([a-z]+)' else '^(`+)$' end;
  c_blanks constant text := e'\n \t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000';
  -- Private characters take the place of blanks in code while the text is made normal.
  c_stand_ins constant text := e'\U0010ff00\U0010ff01\U0010ff02\U0010ff03\U0010ff04\U0010ff05\U0010ff06\U0010ff07\U0010ff08\U0010ff09'
    || e'\U0010ff0a\U0010ff0b\U0010ff0c\U0010ff0d\U0010ff0e\U0010ff0f\U0010ff10\U0010ff11\U0010ff12';
  v_text constant text := replace(replace(p_text, e'\r\n', e'\n'), e'\r', e'\n');
  v_pieces text[]; -- the text between the marks
  v_marks text[];
  v_opens text[]; -- for each mark the name of what it opens
  v_closes text[]; -- for each mark the name of what it closes
  v_last jsonb; -- for each name the last mark that closes it
  v_open text;
begin
  if (v_text ~* c_mark) is not true or v_text ~ ('[' || c_stand_ins || ']') then
    return outrider.normal_text(p_text);
  end if;
  v_pieces := regexp_split_to_array(v_text, c_mark, 'i');
  v_marks := array(select m.found[1] from regexp_matches(v_text, c_mark, 'gi') as m (found));
  select
    array_agg(substring(lower(u.mark collate "C") from c_opens) order by u.n),
    array_agg(substring(lower(u.mark collate "C") from c_closes) order by u.n)
  into v_opens, v_closes
  from unnest(v_marks) with ordinality as u (mark, n);
  select jsonb_object_agg(c.name, c.n) into v_last
  from (
    select u.name, max(u.n) as n from unnest(v_closes) with ordinality as u (name, n) where u.name is not null group by u.name
  ) c;

  for i in 1 .. cardinality(v_marks) loop
    if v_open is null then
      v_open := case when (v_last ->> v_opens[i])::integer > i then v_opens[i] end;
      continue;
    end if;
    v_pieces[i] := translate(v_pieces[i], c_blanks, c_stand_ins);
    if v_closes[i] = v_open then
      v_open := null;
    else
      v_marks[i] := translate(v_marks[i], c_blanks, c_stand_ins);
    end if;
  end loop;

  return translate(
    outrider.normal_text((
      select string_agg(concat(u.piece, u.mark), '' order by u.n)
      from unnest(v_pieces, v_marks) with ordinality as u (piece, mark, n)
    )),
    c_stand_ins, c_blanks);
end;
$$;
