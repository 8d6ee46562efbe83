-- The version of normalisation and hash. Raise it when you change what normalize_payload or content_hash returns:
-- contents of different versions are never compared.
create or replace function outrider.hash_version()
  returns integer
  language sql
  immutable
  parallel safe
return 1;
