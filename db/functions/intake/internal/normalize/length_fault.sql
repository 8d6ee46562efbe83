-- What is wrong with the length of a text, in characters.
--
-- Returns: a sentence; null: nothing is wrong, or there is no text.
create or replace function outrider.length_fault(p_path text, p_text text, p_min integer, p_max integer)
  returns text
  language sql
  stable
  parallel safe
return case
  when length(p_text) > p_max then format('%s has %s characters; the limit is %s', p_path, length(p_text), p_max)
  when length(p_text) < p_min then format('%s is empty', p_path)
end;
