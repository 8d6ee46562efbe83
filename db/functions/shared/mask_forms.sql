-- Masks tokens, auth headers, e-mail addresses and phone numbers that stand in a text as they are, without escapes.
--
-- Chat ids and provider ids stay readable: a bare run of digits is a phone number only with a plus sign, or as eleven digits
-- that begin with 7 or 8. Right behind a word or a dash (id89161234567, phone_89161234567, тел.-89161234567) it must also
-- have the form of a Russian number. Behind a digit or one of the letters a to f it stays: that is the tail of a hash. A
-- number of ten digits needs marks between them, or a word such as "phone" before it.
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
      '(://)[^\s/"''<>]+@', '\1[token]@', 'g'),
      -- a bot token, also inside a URL
      '\d{5,}:[A-Za-z0-9_-]{20,}', '[token]', 'g'),
      -- bearer and basic credentials; an ordinary word after "basic" or "token" is not one
      '\m(bearer|basic|token)\s+(?=[A-Za-z0-9._~+/=-]*\d|[A-Za-z0-9._~+/=-]{20})[A-Za-z0-9._~+/=-]{8,}', '\1 [token]', 'gi'),
      -- the whole of an authorization header; key=value and key: value, as in queries, headers and JSON that was quoted into a text
      '(authorization\\?["'']?\s*[=:]\s*\\?["'']?)(?!\[token\])(?:[A-Za-z][A-Za-z0-9-]*\s+)?(?:[A-Za-z]+=\\?"[^"\\\r\n]*\\?"|[^\s"''&,;}\\]{4,})(?:,\s*[A-Za-z]+=(?:\\?"[^"\\\r\n]*\\?"|[^\s"'',;}\\]+))*'
      '|((?:access[_-]?token|refresh[_-]?token|(?:api|access|secret|private|auth)[_-]?key|client[_-]?secret|x-[a-z-]*token|session[_-]?id|sessid|password|passwd|passphrase|passcode|\mpass|pwd|secret|token|signature|sig|jwt|[Пп]ароль|[Тт]окен)\\?["'']?\s*[=:]\s*)(?:(\\?")(?!\[token\])[^"\\\r\n]+|('')(?!\[token\])[^''\\\r\n]+|(?!\[token\])(?:(?:bearer|basic)\s+)?[^\s"''&,;}\\]{4,})',
      '\1\2\3\4[token]', 'gi'),
      -- tokens that are known by their form: of VK, signed ones (JWT), of webhooks, GitHub, GitLab, Slack, AWS, Stripe, Google, Yandex; a private key
      '\m(?:vk\d\.[A-Za-z0-9._-]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9._-]{8,}|whsec_[A-Za-z0-9+/=_-]{8,}|gh[a-z]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[a-z]-[A-Za-z0-9-]{10,}|A[KS]IA[A-Z0-9]{16}|sk[-_][A-Za-z0-9_-]{20,}|AIza[A-Za-z0-9_-]{30,}|y0_[A-Za-z0-9_-]{20,})|-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*', '[token]', 'g'),
      '[A-Za-z0-9\u00C0-\u024F\u0400-\u04FF._%+-]+(?:@|\s@\s|\s?[\[(][Aa][Tt][\])]\s?)[A-Za-z0-9\u00C0-\u024F\u0400-\u04FF-]+(?:\.[A-Za-z0-9\u00C0-\u024F\u0400-\u04FF-]+)*\.(?:[Xx][Nn]--[A-Za-z0-9-]+|[A-Za-z\u00C0-\u024F\u0400-\u04FF]{2,})', '[email]', 'g'),
      -- a phone number, with spaces and dashes of every width (~); also after \n in JSON that was quoted into a text
      replace(
        '([^0-9])\+\d(?:[~/_-]*\d){7,14}(?!\d)'
        '|([^\w\uFF10-\uFF19-]|\\[nrt])(?:'
          '(?:00[~-]*)?[78](?:[~-]*\d){10}|[78][_/]\d{3}[_/]\d{3}[_/]\d{2}[_/]\d{2}|\(?[3489]\d{2}[~-]{1,3}\d{3}[~-]{1,3}\d{2}[~-]{0,3}\d{2}'
        ')(?![A-Za-z0-9])'
        '|([G-Zg-z_\u0400-\u04FF-]|[Ii][Dd])[78][~-]*[3489](?:[~-]*\d){9}(?![A-Za-z0-9])'
        '|([^A-Za-z\u0400-\u04FF](?:(?:tele)?phone(?:[_-]?number)?|tel|msisdn|whatsapp|[Тт]ел(?:ефон)?)\\?["'']?[.=:]*\s*\\?["'']?)[+(]*\d(?:[~-]*\d){6,14}(?!\d)',
        '~', '\s\u00A0\u00AD\u00B7\u2000-\u2015\u2022\u202A-\u202F\u2043\u2060-\u2069\u20E3\u2212\u3000\uFE0F\uFEFF\uFE58\uFE63\uFF0D().'),
      '\1\2\3\4[phone]', 'gi'), 2);
