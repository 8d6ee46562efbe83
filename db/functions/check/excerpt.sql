-- Quotes a text for use in a sentence: in quotation marks, without line ends, cut after 60 characters.
create or replace function outrider.excerpt(p_text text)
  returns text
  language sql
  immutable
  parallel safe
return to_json(case when length(p_text) > 60 then left(p_text, 60) || '…' else p_text end)::text;
