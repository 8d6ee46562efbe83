-- The length of a text as a platform counts it: in code points, or in units of UTF-16, in which a character
-- beyond the basic plane counts twice.
create or replace function outrider.text_length(p_text text, p_unit text)
  returns integer
  language sql
  immutable
  parallel safe
return case
    when p_unit = 'utf16' and octet_length(p_text) > length(p_text)
      then length(p_text) + regexp_count(p_text, '[\U00010000-\U0010FFFF]')
    else length(p_text)
  end;
