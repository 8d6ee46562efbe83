-- The phone numbers in a text, each in one spelling: Russian ones as 7 and ten digits, others as they stand behind
-- their +. However they are written: with blanks, brackets, dots or hyphens between any two digits, with +7, 8 or
-- neither. Numbers of fewer than ten digits belong to no country, and are left out.
create or replace function outrider.phone_numbers(p_text text)
  returns text[]
  language plpgsql
  immutable
  parallel safe
as $$
declare
  c_gap constant text := '[ \n\u00a0()./\u2010-\u2015-]{0,3}';
begin
  return array(
    select distinct case when n.digits ~ '^[78]?[3489][0-9]{9}$' then '7' || right(n.digits, 10) else n.digits end
    from regexp_matches(
      p_text,
      '(?:^|[^0-9])(\+' || c_gap || '[0-9](?:' || c_gap || '[0-9]){10,14}'
        || '|(?:\+?[78]' || c_gap || ')?[3489](?:' || c_gap || '[0-9]){9})(?![0-9])', 'g') as m (found)
    cross join lateral (select regexp_replace(m.found[1], '[^0-9]', '', 'g') as digits) n
  );
end;
$$;
