-- How a contact is looked for: a phone number in any spelling, whatever marks and tags stand between its digits, an e-mail
-- address and an account in any case. Each is also found with characters of full width, the backslashes of Markdown, the
-- percent signs of an address and the entities of HTML in it. The domain of an e-mail address is found in letters and in
-- punycode, whichever is given.
--
-- A number of ten digits, or of eleven that begin with 7 or 8, is the same with 7, with 007, with 8 and without either. An account
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
    '(?:[\u0001-\u002F\u003A-\u0040\u005B-\u0060\u007B-\u00BF\u2000-\u206F\u20E3\u2212\u3000\uFE0F\uFE58\uFE63\uFEFF\uFF01-\uFF0F\uFF1A-\uFF20]'
    '|</?[a-z][^<>]*>|&lt;/?[a-z](?:[^<>&]|&quot;|&amp;|&#\d{1,4};)*&gt;'
    '|%(?:[012][0-9A-F]|3[A-F]|40|5[B-F]|60|7[B-F])|%C2%[89AB][0-9A-F]|%E2%8[01]%[89AB][0-9A-F]|%E2%88%92|%EF%BC%8[0-9A-F]|%E3%80%80'
    '|&[a-z]{2,8};|&#0*(?:[1-3]?\d|4[0-7]|5[89]|6[0-4]|1[67]\d|8[1-3]\d\d|8722|65279);'
    '|&#x0*(?:[12]?[0-9a-f]|3[a-f]|40|a[0-9a-f]|20[0-6][0-9a-f]|2212|feff);)*';
  -- As JSON has it, with escapes for control characters.
  v_rough_gap constant text := replace(v_gap, '|</?', '|\\[nrtbf]|\\u00[01][0-9a-f]|</?');
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
      v_prefix := '(?:(?:(?:00)?' || outrider.contact_letters('7') || '|' || outrider.contact_letters('8') || ')' || v_gap || ')?';
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
