-- The user, host and port of an http(s) address in one spelling: the host in lower case, without a port that is empty or
-- the default of the scheme. A user's name and password stay as they are.
--
-- Under https, `Ann@Example.ORG:443` becomes `Ann@example.org`; under http its port stays.
create or replace function outrider.canonical_host(p_authority text, p_scheme text)
  returns text
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_user constant text := left(p_authority, strpos(p_authority, '@'));
  v_host text := substr(p_authority, length(v_user) + 1);
  v_port text := '';
begin
  -- A port is a colon and digits at the end; an IPv6 address ends with a bracket.
  if rtrim(v_host, '0123456789') like '%:' then
    v_port := substr(v_host, length(rtrim(v_host, '0123456789')));
    v_host := left(v_host, -length(v_port));
  end if;
  if v_port = ':' or (p_scheme, v_port) in (('http', ':80'), ('https', ':443')) then
    v_port := '';
  end if;
  -- A code may hide a capital: %41 becomes A and then a. A letter in lower case may compose with a mark where its capital
  -- does not, so the host is composed again. lower_case also wrote the digits of codes small; the last step undoes that.
  v_host := outrider.normal_escapes(v_host);
  v_host := outrider.composed_text(v_host);
  v_host := outrider.lower_case(v_host);
  v_host := outrider.composed_text(v_host);
  return v_user || outrider.normal_escapes(v_host) || v_port;
end;
$$;
