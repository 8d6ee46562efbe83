-- How long a delivery waits after a transient failure.
--
-- After an attempt that counts (p_waited is null) the wait grows with the attempts: base × factor ^ (attempt − 1).
-- A delivery that is only told to wait has waited for p_waited so far, and its wait grows with that at the same rate:
-- without jitter both are base, base × factor, base × factor² … Both vary by ± jitter, and never exceed the cap.
-- The time that the provider asked for is waited out in full, plus a share of jitter. The wait is at least the backoff
-- when the attempt counts, and at least the base when it does not. A request for 0 counts as none.
-- While the platform still processes an attachment, the wait is short, after each of the first three attempts.
-- p_random is between 0 and 1.
create or replace function outrider.retry_delay(
  p_settings outrider.workspace_settings,
  p_attempt integer,
  p_waited interval,
  p_cause text,
  p_retry_after_ms numeric,
  p_random double precision
)
  returns interval
  language sql
  immutable
  parallel safe
as $$
  select case
      when p_retry_after_ms > 0 and p_waited is null then greatest(s.asked * (1 + s.jitter * p_random), s.backoff)
      when p_retry_after_ms > 0 then greatest(s.asked, s.base) * (1 + s.jitter * p_random)
      when p_cause = 'not_ready' and p_attempt <= 3 then s.not_ready
      else s.backoff
    end * interval '1 second'
  from (
    select
      x.*,
      p_retry_after_ms::double precision / 1000 as asked,
      least(
        extract(epoch from p_settings.backoff_cap)::double precision,
        case
          when p_waited is null then x.base * power(x.factor, least(p_attempt - 1, 30))
          else x.base + extract(epoch from p_waited)::double precision * (x.factor - 1)
        end * (1 + x.jitter * (2 * p_random - 1))
      ) as backoff
    from (
      select
        extract(epoch from p_settings.backoff_base)::double precision as base,
        p_settings.backoff_factor::double precision as factor,
        p_settings.backoff_jitter::double precision as jitter,
        extract(epoch from p_settings.not_ready_backoff_min
          + (p_settings.not_ready_backoff_max - p_settings.not_ready_backoff_min) * p_random)::double precision as not_ready
    ) x
  ) s;
$$;
