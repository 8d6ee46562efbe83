-- How a contact is looked for: a phone number in any spelling, an e-mail address and an account in any case, each also
-- with the backslashes of Markdown, the percent signs of an address and the entities of HTML in it.
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
    '(?:[\s\u00A0\u2000-\u200D\u202F\u2010-\u2015\u2043\u2060\u2212\uFE58\uFE63\uFF0D()./\\_*~+-]|%2[0-9A-F]|%C2%A0|%E2%80%9[0-5]|%E2%88%92|&nbsp;|&#160;|&#xA0;|&minus;|&ndash;|&mdash;|&#8722;|&#820[89];|&#821[0-3];|&#4[0-6];|&#32;)*';
  v_rough_gap constant text :=
    '(?:[\s\u00A0\u2000-\u200D\u202F\u2010-\u2015\u2043\u2060\u2212\uFE58\uFE63\uFF0D()./\\_*~+-]|%2[0-9A-F]|%C2%A0|%E2%80%9[0-5]|%E2%88%92|&nbsp;|&#160;|&#xA0;|&minus;|&ndash;|&mdash;|&#8722;|&#820[89];|&#821[0-3];|&#4[0-6];|&#32;|\\[nrtbf])*';
  v_before constant text := '(^|[^A-Za-z0-9\u0400-\u04FF%s]|%%[0-9A-Fa-f]{2})';
  v_contact constant text := regexp_replace(p_contact, '^\s+|\s+$', '', 'g');
  v_digits text := regexp_replace(v_contact, '\D', '', 'g');
  v_prefix text := '';
  v_letters text;
begin
  if v_contact ~ '^[+]?[\d\s().\u00A0\u2010-\u2015\u2212-]+$' and length(v_digits) between 7 and 15 then
    if length(v_digits) = 10 or v_digits ~ '^[78]\d{10}$' then
      v_digits := right(v_digits, 10);
      v_prefix := '(?:[78]%s)?';
    end if;
    return (
      '(^|[^0-9]|%[0-9A-Fa-f]{2})[+(\\]*' || format(v_prefix, v_gap) || array_to_string(string_to_array(v_digits, null), v_gap) || '(?![0-9])',
      array_to_string(string_to_array(v_digits, null), v_rough_gap)
    )::outrider.contact_pattern;
  end if;

  -- Each character as it is, or after backslashes, or as an address has it.
  select string_agg(
    case when c.letter ~ '[[:alnum:]]' then c.letter
      else format('(?:\\*[%1$s]|%%%2$s|&#0*%3$s;|&#x0*%2$s;%4$s)', case when c.letter in ('\', ']', '^', '-') then '\' else '' end || c.letter,
        upper(lpad(to_hex(ascii(c.letter)), 2, '0')), ascii(c.letter),
        case c.letter when '&' then '|&amp;' when '''' then '|&apos;' when '@' then '|&commat;' else '' end)
    end, '' order by c.place)
  into v_letters
  from unnest(string_to_array(ltrim(v_contact, '@'), null)) with ordinality as c (letter, place);

  if v_contact ~ '^[^@\s]+@[^@\s]+\.[^@\s]+$' then
    return (format(v_before, '.+-') || v_letters || '(?![A-Za-z0-9-])', v_letters)::outrider.contact_pattern;
  end if;
  if v_contact ~ '^@?[[:alnum:]_.-]{3,64}$' then
    return (format(v_before, '_') || '(?:@|%40)?' || v_letters || '(?![A-Za-z0-9_\u0400-\u04FF])', v_letters)::outrider.contact_pattern;
  end if;
  return null;
end;
$$;
