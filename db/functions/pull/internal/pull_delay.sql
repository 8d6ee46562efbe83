-- How long a pull source waits after so many pulls in a row that failed: 1 minute, 2, 4 … up to 1 hour, and up to a tenth
-- longer, by chance. p_random is between 0 and 1. A wait that the source asked for is the least.
create or replace function outrider.pull_delay(p_failures integer, p_retry_after interval, p_random double precision)
  returns interval
  language sql
  immutable
  parallel safe
return greatest(
    coalesce(p_retry_after, interval '0'),
    least(interval '1 hour', interval '1 minute' * power(2, least(p_failures - 1, 10)))
  ) * (1 + 0.1 * p_random);
