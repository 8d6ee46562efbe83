-- A text in lower case. A to Z become a to z in every locale; lower() alone does not do that in a Turkish one.
create or replace function outrider.lower_case(p_text text)
  returns text
  language sql
  immutable
  parallel safe
return lower(lower(p_text collate "C") collate "default");
