-- Raises: OR004 for a delivery that is inserted in a state in which none may start.
create or replace function outrider.refuse_start(p_delivery_id uuid, p_status outrider.delivery_status)
  returns void
  language plpgsql
  immutable
as $$
begin
  raise exception using errcode = 'OR004',
    message = format('delivery %s cannot start as "%s"', p_delivery_id, p_status),
    hint = 'A delivery starts as queued, deduped or failed_permanent; as sending only where an enqueue claims it.';
end;
$$;
