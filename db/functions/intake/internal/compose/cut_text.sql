-- A plain text of p_max characters at most: a longer one is cut at a word, and ends with an ellipsis. A null p_max is
-- no limit.
create or replace function outrider.cut_text(p_text text, p_max integer)
  returns text
  language sql
  immutable
  parallel safe
return case when length(p_text) > p_max then outrider.head_of_text(p_text, p_max - 1) || '…' else p_text end;
