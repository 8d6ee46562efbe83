-- How many of a delivery's attempts count. An attempt that was only told to wait, or was given back unsent, does not
-- count: it has raised the limit. An operator's requeue starts the count anew.
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
