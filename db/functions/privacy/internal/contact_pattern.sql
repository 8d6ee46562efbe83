-- How a contact is looked for: a phone number in any spelling, an e-mail address and an account in any case, each also
-- with characters of full width, the backslashes of Markdown, the percent signs of an address and the entities of HTML in
-- it. The domain of an e-mail address is found in letters and in punycode, whichever is given.
--
-- A number of ten digits, or of eleven that begin with 7 or 8, is the same with 7, with 8 and without either. An account
-- is a whole word, with or without @.
-- Returns: null for what is none of the three.
create or replace function outrider.contact_pattern(p_contact text)
  returns outrider.contact_pattern
  language plpgsql
  immutable
  parallel safe
as $$
declare
  -- What may stand between the digits of a number.
  v_gap constant text :=
    '(?:[\s\u00A0\u2000-\u200D\u202F\u2010-\u2015\u2043\u2060\u2212\uFE58\uFE63\u3000\uFF08\uFF09\uFF0B\uFF0D\uFF0E()./\\_*~+-]|%2[0-9A-F]|%C2%A0|%E2%80%9[0-5]|%E2%88%92|%EF%BC%8[89BDE]|%E3%80%80|&nbsp;|&#160;|&#xA0;|&minus;|&ndash;|&mdash;|&#8722;|&#820[89];|&#821[0-3];|&#4[0-6];|&#32;)*';
  v_rough_gap constant text := replace(v_gap, '&#32;', '&#32;|\\[nrtbf]');
  -- No word goes on before or behind it, also where its letters have percent signs.
  v_before constant text := '(^|[^A-Za-z0-9\u0400-\u04FF%s]|%%[0-7][0-9A-F]|%%C2%%A0|%%E2%%80%%[89AB][0-9A-F])';
  v_behind constant text := '(?![A-Za-z0-9%s]|%%D[01]%%[89AB])';
  v_contact constant text := regexp_replace(normalize(p_contact, nfkc), '^\s+|\s+$', '', 'g');
  v_digits text := regexp_replace(v_contact, '\D', '', 'g');
  v_prefix text := '';
  v_spelled text;
begin
  if v_contact ~ '^[+]?[\d\s().\u00A0\u2010-\u2015\u2212-]+$' and length(v_digits) between 7 and 15 then
    if length(v_digits) = 10 or v_digits ~ '^[78]\d{10}$' then
      v_digits := right(v_digits, 10);
      v_prefix := '(?:(?:' || outrider.contact_letters('7') || '|' || outrider.contact_letters('8') || ')' || v_gap || ')?';
    end if;
    v_spelled := array_to_string(
      array(select outrider.contact_letters(d.digit) from unnest(string_to_array(v_digits, null)) with ordinality as d (digit, place)
        order by d.place), v_gap);
    return (
      '(^|[^0-9\uFF10-\uFF19]|%[0-9A-Fa-f]{2})(?:[+\uFF0B(\uFF08\\]|%EF%BC%8[8B])*' || v_prefix || v_spelled || '(?![0-9\uFF10-\uFF19])',
      replace(v_spelled, v_gap, v_rough_gap)
    )::outrider.contact_pattern;
  end if;

  if v_contact ~ '^[^@\s]+@[^@\s]+\.[^@\s]+$' then
    v_spelled := outrider.contact_letters(split_part(v_contact, '@', 1) || '@') || outrider.contact_domain(split_part(v_contact, '@', 2));
    return (format(v_before, '.+-') || v_spelled || format(v_behind, '-'), v_spelled)::outrider.contact_pattern;
  end if;
  if v_contact ~ '^@?[[:alnum:]_.-]{3,64}$' then
    v_spelled := outrider.contact_letters(ltrim(v_contact, '@'));
    return (format(v_before, '_') || '(?:[@\uFF20]|%40)?' || v_spelled || format(v_behind, '_\u0400-\u04FF'), v_spelled)::outrider.contact_pattern;
  end if;
  return null;
end;
$$;
