-- What a platform, or the checks before it, said about a delivery: "not_allowed: bot was kicked", without the full stop
-- at its end. A kept error is masked already.
create or replace function outrider.error_in_words(p_error jsonb)
  returns text
  language sql
  immutable
  parallel safe
return coalesce(
    nullif(regexp_replace(concat_ws(': ', nullif(p_error ->> 'code', ''), nullif(p_error ->> 'message', '')), '[.\s]+$', ''), ''),
    'nobody said why');
