-- A pattern for a domain in every spelling, each of its labels in letters or in punycode.
create or replace function outrider.contact_domain(p_domain text)
  returns text
  language sql
  immutable
  parallel safe
as $$
  select string_agg(
    case when f.read = f.sent then outrider.contact_letters(f.read)
      else format('(?:%s|%s)', outrider.contact_letters(f.read), outrider.contact_letters(f.sent))
    end, outrider.contact_letters('.') order by l.place)
  from unnest(string_to_array(lower(p_domain), '.')) with ordinality as l (label, place)
  cross join lateral (
    select outrider.unpunycode(l.label) as read, case when l.label like 'xn--%' then l.label else outrider.punycode(l.label) end as sent
  ) f;
$$;
