-- How long an event waits after its n-th failure: 1 s × 2 ^ (n − 1) ± 20 %, and never more than 10 minutes.
-- p_random is between 0 and 1.
create or replace function outrider.publish_delay(p_attempt integer, p_random double precision)
  returns interval
  language sql
  immutable
  parallel safe
return least(600, power(2::double precision, least(p_attempt - 1, 30)) * (1 + 0.2 * (2 * p_random - 1))) * interval '1 second';
