-- The words of a text, by which two texts are compared: in lower case, without addresses, phone numbers, markup and
-- signs, with ё as е, and with Latin letters that look like Cyrillic ones as these.
create or replace function outrider.plain_words(p_text text)
  returns text[]
  language sql
  immutable
  parallel safe
return string_to_array(btrim(regexp_replace(
    translate(
      outrider.lower_case(regexp_replace(
        p_text, '<[^<>]*>|[Hh][Tt][Tt][Pp][Ss]?://[^ \n<>")]+|[+]?[0-9](?:[ ()./\u00a0\u2010-\u2015-]{0,3}[0-9]){6,}', ' ', 'g')),
      'ёaceopxykmhtb', 'еасеорхукмнтв'),
    '[^0-9a-z\u00c0-\u1fff\u2c00-\u2dff\u3041-\u318f\u3400-\ud7ff\uf900-\ufdff]+', ' ', 'g')), ' ');
