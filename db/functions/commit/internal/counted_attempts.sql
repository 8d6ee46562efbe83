-- How many of a delivery's attempts weigh: those that were only told to wait, or were given back unsent, have raised
-- the limit. An operator's requeue begins anew.
create or replace function outrider.counted_attempts(
  p_delivery outrider.deliveries,
  p_settings outrider.workspace_settings
)
  returns integer
  language sql
  immutable
  parallel safe
return least(
    p_delivery.attempt,
    greatest(1, p_settings.max_attempts - (p_delivery.attempt_limit - p_delivery.attempt))
  );
