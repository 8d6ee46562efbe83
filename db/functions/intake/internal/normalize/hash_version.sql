-- The version of normalisation and hash. Whoever changes what normalize_payload or content_hash answers
-- raises it: contents of different versions are never compared.
create or replace function outrider.hash_version()
  returns integer
  language sql
  immutable
  parallel safe
return 1;
