-- An error as a part of a sentence: its code, then what the platform or our checks said, as in "not_allowed: bot was kicked".
-- The full stop at its end goes, because the sentence around it has its own. An error without either is "nobody said why".
--
-- p_error: as it is kept with a delivery, a channel or an event, and so masked already.
create or replace function outrider.error_in_words(p_error jsonb)
  returns text
  language sql
  immutable
  parallel safe
return coalesce(
    nullif(regexp_replace(concat_ws(': ', nullif(p_error ->> 'code', ''), nullif(p_error ->> 'message', '')), '[.\s]+$', ''), ''),
    'nobody said why');
