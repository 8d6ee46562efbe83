-- A text as one word of a shell: in quotes where it needs them.
create or replace function outrider.shell_word(p_text text)
  returns text
  language sql
  immutable
  parallel safe
return case
    when p_text ~ '^[A-Za-z0-9_./:@%+,-]+$' and p_text !~ '^-' then p_text
    else '''' || replace(p_text, '''', '''\''''') || ''''
  end;
