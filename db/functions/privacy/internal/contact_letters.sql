-- A pattern for a text in every spelling: each character as it is, after backslashes, of full width, with the percent
-- signs of an address, or as an entity of HTML; a letter in both cases.
create or replace function outrider.contact_letters(p_text text)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select string_agg(
    case
      when c.letter ~ '[A-Za-z0-9]' then format('(?:[%s%s]|%s|%s|%s|&#0*(?:%s|%s|x0*%s|x0*%s);)', c.letter, c.wide, c.small, c.large,
        regexp_replace(encode(convert_to(c.wide, 'UTF8'), 'hex'), '(..)', '%\1', 'g'),
        ascii(c.lower), ascii(c.upper), to_hex(ascii(c.lower)), to_hex(ascii(c.upper)))
      when c.letter ~ '[[:alnum:]]' then format('(?:%s|%s|%s|%s|&#(?:%s|%s|x0*%s|x0*%s);)', c.lower, c.upper, c.small, c.large,
        ascii(c.lower), ascii(c.upper), to_hex(ascii(c.lower)), to_hex(ascii(c.upper)))
      else format('(?:\\*[%1$s%5$s]|%%%2$s|&#0*%3$s;|&#x0*%2$s;%4$s)', case when c.letter in ('\', ']', '^', '-') then '\' else '' end || c.letter,
        upper(lpad(to_hex(ascii(c.letter)), 2, '0')), ascii(c.letter),
        case c.letter when '&' then '|&amp;' when '''' then '|&apos;' when '@' then '|&commat;' when '.' then '|&period;' when '_' then '|&lowbar;' when '+' then '|&plus;' else '' end,
        c.wide)
    end, '' order by c.place)
  from (
    select x.letter, x.place, l.lower, u.upper,
      case when ascii(x.letter) between 33 and 126 then chr(ascii(x.letter) + 65248) else '' end as wide,
      regexp_replace(encode(convert_to(l.lower, 'UTF8'), 'hex'), '(..)', '%\1', 'g') as small,
      regexp_replace(encode(convert_to(u.upper, 'UTF8'), 'hex'), '(..)', '%\1', 'g') as large
    from unnest(string_to_array(p_text, null)) with ordinality as x (letter, place)
    cross join lateral (select lower(x.letter) as lower) l
    cross join lateral (select upper(x.letter) as upper) u
  ) c;
$$;
