-- Why a delivery cannot be said to have arrived, in words; null when it can. An all-null delivery is an unknown one.
create or replace function outrider.resolve_fault(p_delivery outrider.deliveries)
  returns text
  language sql
  immutable
as $$
  select case
    when p_delivery.delivery_id is null then 'there is no such delivery in this workspace'
    when p_delivery.status = 'dead' and p_delivery.outcome_unknown
      then 'it is dead; requeue it: where the platform can be asked, its next attempt looks before it sends'
    when p_delivery.status <> 'failed_permanent' then format('it is "%s", not failed_permanent', p_delivery.status)
    when not p_delivery.outcome_unknown then format('it is known not to have arrived: %s',
      coalesce(p_delivery.last_error ->> 'code', 'it was never tried'))
  end;
$$;
