-- Masks tokens, auth headers, e-mail addresses and phone numbers that stand in a text as they are, without escapes.
--
-- Chat ids and provider ids stay readable: a bare run of digits is a phone number only with a plus
-- sign, or as eleven digits that begin with 7 or 8. Right behind a word (id89161234567, phone_89161234567) it must also
-- have the form of a Russian number. Behind a digit or one of the letters a to f it stays: that is the tail of a hash.
create or replace function outrider.mask_forms(p_text text)
  returns text
  language sql
  immutable
  parallel safe
return
    -- The blank in front gives every phone number a character before it. Looking behind for that character would
    -- start again at the beginning of the text for each number that is found.
    substr(regexp_replace(' ' ||
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
    regexp_replace(
      p_text,
      -- the login in an address
      '(://)[^\s/@"''<>]+@', '\1[token]@', 'g'),
      -- a bot token, also inside a URL
      '\d{5,}:[A-Za-z0-9_-]{20,}', '[token]', 'g'),
      -- bearer and basic credentials; an ordinary word after "basic" or "token" is not one
      '\m(bearer|basic|token)\s+(?=[A-Za-z0-9._~+/=-]*\d|[A-Za-z0-9._~+/=-]{20})[A-Za-z0-9._~+/=-]{8,}', '\1 [token]', 'gi'),
      -- key=value and key: value, as in queries, headers and JSON that was quoted into a text
      '((?:access[_-]?token|refresh[_-]?token|(?:api|access|secret|private)[_-]?key|client[_-]?secret|authorization|x-[a-z-]*token|password|passwd|passphrase|pwd|secret|token|signature|sig)\\?["'']?\s*[=:]\s*\\?["'']?)(?!\[token\])(?:(?:bearer|basic)\s+)?[^\s"''&,;}\\]{4,}',
      '\1[token]', 'gi'),
      -- a VK token
      '\mvk\d\.[A-Za-z0-9._-]{20,}', '[token]', 'g'),
      '[A-Za-z0-9\u0400-\u04FF._%+-]+@[A-Za-z0-9\u0400-\u04FF-]+(?:\.[A-Za-z0-9\u0400-\u04FF-]+)*\.(?:[Xx][Nn]--[A-Za-z0-9-]+|[A-Za-z\u0400-\u04FF]{2,})', '[email]', 'g'),
      -- a phone number, with spaces and dashes of every width; also after \n in JSON that was quoted into a text
      '([^\w\uFF10-\uFF19-]|\\[nrt])(?:\+\d(?:[\s\u00A0\u00AD\u00B7\u2000-\u2015\u2022\u202A-\u202F\u2043\u2060-\u2069\u2212\uFEFF\uFE58\uFE63\uFF0D()./_-]*\d){7,14}(?!\d)|[78](?:[\s\u00A0\u00AD\u00B7\u2000-\u2015\u2022\u202A-\u202F\u2043\u2060-\u2069\u2212\uFEFF\uFE58\uFE63\uFF0D().-]*\d){10}(?![A-Za-z0-9])|[78][_/]\d{3}[_/]\d{3}[_/]\d{2}[_/]\d{2}(?![A-Za-z0-9]))|([G-Zg-z_\u0400-\u04FF]|[Ii][Dd])[78][3489]\d{9}(?![A-Za-z0-9])', '\1\2[phone]', 'g'), 2);
