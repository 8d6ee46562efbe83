-- An address with its percent-encoding in one spelling: codes in capitals, and letters, digits and -._~ themselves
-- instead of their codes (RFC 3986, 6.2.2). An address with a stray percent sign stays as it is, because nobody can
-- tell what it encodes.
create or replace function outrider.normal_escapes(p_url text)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
begin
  if strpos(p_url, '%') = 0
    or p_url !~ '%(?:.?[a-f]|2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])'
    or p_url ~ '%(?![0-9A-Fa-f]{2})'
  then
    return p_url;
  end if;
  return (
    select string_agg(
      p.plain || case
        when p.code ~ '^%(2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])$'
          then convert_from(decode(substr(p.code, 2), 'hex'), 'UTF8')
        else coalesce(p.code, '')
      end,
      '' order by p.place
    )
    from unnest(
      regexp_split_to_array(p_url, '%..'),
      array(select upper(m.match[1] collate "C") from regexp_matches(p_url, '%..', 'g') as m (match))
    ) with ordinality as p (plain, code, place)
  );
end;
$$;
