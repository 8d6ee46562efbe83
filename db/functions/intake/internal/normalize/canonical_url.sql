-- Writes an http(s) address in one spelling for all addresses that mean the same by RFC 3986: scheme and host in lower
-- case, no default port, no dot segments, no needless or lower-case percent-encoding, a path, no empty
-- query or fragment, no white space at the ends. A reader's link works as before, its parameters included.
--
-- An address that cannot be read, or that is canonical already, stays as it is.
create or replace function outrider.canonical_url(p_url text)
  returns text
  language plpgsql
  immutable
  strict
  parallel safe
as $$
declare
  v_url text := p_url;
  v_scheme text;
  v_host text;
  v_path text;
  v_query text;
  v_fragment text;
begin
  -- Most addresses are canonical as they come.
  if v_url ~ '^https?://[-.0-9a-z]+/[-.0-9A-Z_a-z~!$&''()*+,;=:@/]*(?:\?[-.0-9A-Z_a-z~!$&''()*+,;=:@/?]+)?(?:#[-.0-9A-Z_a-z~!$&''()*+,;=:@/?]+)?$'
    and strpos(v_url, '/.') = 0
  then
    return v_url;
  end if;
  v_url := btrim(v_url, e' \t\n\x0b\x0c\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000');
  if not outrider.is_http_url(v_url) then
    return v_url;
  end if;

  -- Decoding yields no character that divides an address, so the address can be split afterwards.
  v_url := outrider.normal_escapes(v_url);
  v_scheme := lower(split_part(v_url, '://', 1) collate "C");
  v_url := substr(v_url, length(v_scheme) + 4);
  v_path := split_part(v_url, '#', 1);
  v_fragment := nullif(substr(v_url, length(v_path) + 1), '#');
  v_query := nullif(substr(v_path, length(split_part(v_path, '?', 1)) + 1), '?');
  v_path := split_part(v_path, '?', 1);
  v_host := split_part(v_path, '/', 1);
  v_path := coalesce(nullif(substr(v_path, length(v_host) + 1), ''), '/');
  if v_path !~ '%(?![0-9A-Fa-f]{2})' then
    v_path := outrider.resolved_path(v_path);
  end if;

  return v_scheme || '://' || outrider.canonical_host(v_host, v_scheme) || v_path || coalesce(v_query, '') || coalesce(v_fragment, '');
end;
$$;
