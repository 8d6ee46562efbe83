-- A text with its Cyrillic letters and its characters of full width as they are, where an address has percent signs for them.
create or replace function outrider.unescape_letters(p_text text)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select string_agg(
    case when p.piece[1] ~ '^%.' then convert_from(decode(replace(p.piece[1], '%', ''), 'hex'), 'UTF8') else p.piece[1] end,
    '' order by p.place)
  from regexp_matches(p_text, '(?:%D[01]%[89AB][0-9A-F]|%EF%BC%[89AB][0-9A-F])+|[^%]+|%', 'gi') with ordinality as p (piece, place);
$$;
