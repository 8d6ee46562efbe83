-- A text without a contact. The word that takes its place is one that every format, address and tag can hold.
create or replace function outrider.erase_text(p_text text, p_pattern outrider.contact_pattern)
  returns text
  language sql
  immutable
  parallel safe
return regexp_replace(p_text, (p_pattern).exact, '\1erased', 'gi');
