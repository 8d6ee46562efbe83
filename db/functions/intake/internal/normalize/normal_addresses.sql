-- A text with its http(s) addresses written alike: scheme and host in lower case, no default port. The
-- rest of an address belongs to its server and stays; so does an address that names a user.
create or replace function outrider.normal_addresses(p_text text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  -- Host characters are letters and digits of any script; a port counts only where the address cannot go on.
  v_address constant text :=
    '[Hh][Tt][Tt][Pp][Ss]?://(?![^ \n/?#]*@)[-.0-9A-Z_a-z\u00c0-\u1fff\u2c00-\u2dff\u3041-\u318f\u3400-\u4dbf\u4e00-\ud7ff\uf900-\ufdff]+'
    '(?::(?:80|443)(?=$|[] \n/?#"''<>(){}[,;!|*`]))?';
  v_text text;
begin
  -- Most addresses have no capital in the scheme or the host, no letter beyond a to z, and no port.
  if p_text !~ '[HTPS][HTPShtps]{0,4}://|://[-.0-9_a-z]*[:A-Z\u00c0-\ufdff]' then
    return p_text;
  end if;
  select string_agg(
    p.part || case
      when a.address like 'http://%:80' then left(a.address, -3)
      when a.address like 'https://%:443' then left(a.address, -4)
      else coalesce(a.address, '')
    end,
    '' order by p.place
  )
  into v_text
  from unnest(
    regexp_split_to_array(p_text, v_address),
    array(select m.match[1] from regexp_matches(p_text, v_address, 'g') as m (match))
  ) with ordinality as p (part, address, place)
  cross join lateral (select outrider.lower_case(p.address) as address) a;
  -- A lower-case letter may compose with a mark where its capital does not.
  return outrider.composed_text(v_text);
end;
$$;
