-- Masks what must not be kept: tokens, auth headers, cookies, e-mail addresses and phone numbers (mask_forms).
--
-- Ids are most of what comes: a text that is too short to hold any of these, a UUID or a hash needs no further look. A text with
-- escapes or tags is also looked at without them. It is kept as it is when they hide nothing, and without them when they do.
create or replace function outrider.mask_text(p_text text)
  returns text
  language sql
  immutable
  parallel safe
return case
  when p_text ~ '^(?:[^@:=\uFF1A\uFF1D\uFF20]{0,7}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:mid\.)?[0-9a-f]{32})$' then p_text
  when p_text !~ '[%&<\\\uFF01-\uFF5E]|[Cc][Oo][Oo][Kk][Ii][Ee]' then outrider.mask_forms(p_text)
  else outrider.mask_hidden(p_text)
end;
