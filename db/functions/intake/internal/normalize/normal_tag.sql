-- A tag as it is kept and compared: on one line, in lower case, otherwise as normal_text writes it.
create or replace function outrider.normal_tag(p_tag text)
  returns text
  language sql
  immutable
  parallel safe
return outrider.composed_text(outrider.lower_case(outrider.normal_text(translate(p_tag, e'\n\r', '  '))));
