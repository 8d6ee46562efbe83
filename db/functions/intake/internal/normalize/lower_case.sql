-- A text in lower case. A to Z have the same lower case in every locale; in a Turkish one they would not.
create or replace function outrider.lower_case(p_text text)
  returns text
  language sql
  immutable
  parallel safe
return lower(lower(p_text collate "C") collate "default");
