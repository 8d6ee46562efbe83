-- The user, host and port of an http(s) address in one spelling: the host in lower case, no default port.
-- A user's name and password stay as they are.
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
  -- %41 becomes A and then a. A lower-case letter may compose with a mark where its capital does not, so the host is
  -- composed again. The last step puts the codes back into capitals.
  v_host := outrider.normal_escapes(v_host);
  v_host := outrider.composed_text(v_host);
  v_host := outrider.lower_case(v_host);
  v_host := outrider.composed_text(v_host);
  return v_user || outrider.normal_escapes(v_host) || v_port;
end;
$$;
