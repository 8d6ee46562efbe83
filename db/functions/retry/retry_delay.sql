-- How long a delivery waits after a transient failure.
--
-- What the provider asked for is waited out in full, plus a share of jitter. An attachment that is
-- still being processed is asked for again within a short window, three times at most. Everything
-- else backs off: base × factor ^ (attempt − 1) ± jitter, and never beyond the cap.
-- p_random is between 0 and 1.
create or replace function outrider.retry_delay(
  p_settings outrider.workspace_settings,
  p_attempt integer,
  p_code text,
  p_retry_after_ms numeric,
  p_random double precision
)
  returns interval
  language sql
  immutable
  parallel safe
return case
    when p_retry_after_ms is not null then
      p_retry_after_ms::double precision * (1 + p_settings.backoff_jitter::double precision * p_random)
        * interval '1 millisecond'
    when p_code in ('media_not_ready', 'attachment.not.ready') and p_attempt <= 3 then
      p_settings.not_ready_backoff_min
        + (p_settings.not_ready_backoff_max - p_settings.not_ready_backoff_min) * p_random
    else
      least(
        extract(epoch from p_settings.backoff_cap)::double precision,
        extract(epoch from p_settings.backoff_base)::double precision
          * power(p_settings.backoff_factor::double precision, least(p_attempt - 1, 30))
          * (1 + p_settings.backoff_jitter::double precision * (2 * p_random - 1))
      ) * interval '1 second'
  end;
