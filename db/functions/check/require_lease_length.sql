-- Checks the length of a claim's leases: a second to a day. Null leaves it to the workspace's settings.
--
-- Returns: the length.
-- Raises: OR001.
create or replace function outrider.require_lease_length(p_function text, p_lease interval)
  returns interval
  language plpgsql
  immutable
as $$
begin
  if p_lease not between interval '1 second' and interval '1 day' then
    raise exception using errcode = 'OR001',
      message = format('%s: lease is %s; 1 second to 1 day are allowed', p_function, p_lease);
  end if;
  return p_lease;
end;
$$;
