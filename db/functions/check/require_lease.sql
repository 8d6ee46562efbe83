-- Checks the owner and the length of a lease of an event; the length is a second to 15 minutes.
--
-- Raises: OR001.
create or replace function outrider.require_lease(p_function text, p_owner uuid, p_lease_ms integer)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_owner is null then
    raise exception using errcode = 'OR001', message = format('%s: owner is missing', p_function);
  end if;
  if p_lease_ms is null or p_lease_ms not between 1000 and 900000 then
    raise exception using errcode = 'OR001',
      message = format('%s: lease_ms is %s; 1000 to 900000 are allowed', p_function, coalesce(p_lease_ms::text, 'missing'));
  end if;
end;
$$;
