-- The first 24 of an id's 32 digits, for the rows that one call writes: the time, then chance, as in a
-- UUID of version 7. The call numbers its rows with the other 8, so that they enter the index one behind
-- the other.
create or replace function outrider.id_prefix(p_now timestamptz)
  returns text
  language sql
  volatile
return lpad(to_hex((extract(epoch from p_now) * 1000)::bigint), 12, '0')
  || '7' || substr(gen_random_uuid()::text, 1, 3) || '8' || substr(gen_random_uuid()::text, 1, 7);
