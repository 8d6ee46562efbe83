-- What is wrong with the length of a list.
--
-- Returns: a sentence; null: nothing is wrong.
create or replace function outrider.count_fault(p_path text, p_list jsonb, p_max integer)
  returns text
  language sql
  immutable
  parallel safe
return case
  when jsonb_array_length(p_list) > p_max then
    format('%s has %s entries; the limit is %s', p_path, jsonb_array_length(p_list), p_max)
end;
