-- Masks what must not be kept: tokens, auth headers, cookies, e-mail addresses and phone numbers (mask_forms).
--
-- A text with escapes is also looked at without them. It is kept as it is when they hide nothing, and without them when
-- they do.
create or replace function outrider.mask_text(p_text text)
  returns text
  language sql
  immutable
  parallel safe
return case
  when p_text !~ '[%&\\\uFF01-\uFF5E]|[Cc][Oo][Oo][Kk][Ii][Ee]' then outrider.mask_forms(p_text)
  else outrider.mask_hidden(p_text)
end;
