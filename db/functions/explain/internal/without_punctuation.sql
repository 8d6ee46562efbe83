-- The words of a text that is in one line, with one blank before each and between them.
create or replace function outrider.without_punctuation(p_line text)
  returns text
  language sql
  immutable
  parallel safe
return ' ' || btrim(replace(replace(replace(
    translate(p_line, '.,:;!?…"''`´()[]{}<>-/|\*_~#@&=+%^$№•·', repeat(' ', 37)), '  ', ' '), '  ', ' '), '  ', ' '));
