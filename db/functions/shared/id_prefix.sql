-- The first 24 of the 32 digits of the ids that one call writes: the time, then random digits, as in a UUID of version
-- 7. The call numbers its rows with the other 8 digits, so that they stand next to one another in the index.
create or replace function outrider.id_prefix(p_now timestamptz)
  returns text
  language sql
  volatile
return lpad(to_hex((extract(epoch from p_now) * 1000)::bigint), 12, '0')
  || '7' || substr(gen_random_uuid()::text, 1, 3) || '8' || substr(gen_random_uuid()::text, 1, 7);
