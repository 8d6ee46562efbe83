-- Whether a text shows nothing: it has only control characters, spaces of every width, and marks without a width.
-- These are the characters that Telegram does not count as text.
create or replace function outrider.shows_nothing(p_text text)
  returns boolean
  language sql
  immutable
  parallel safe
return p_text !~ '[^\u0001-\u0020\u00A0\u030A\u0333\u033F\u1680\u180E\u2000-\u200F\u2028-\u202F\u205F\u2800\u3000\uFEFF\uFFFC\U000E0000-\U000E007F]';
