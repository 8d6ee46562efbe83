-- Checks a list of addresses: 1 to 10000 of them, each of 1 to 2048 characters.
--
-- Raises: OR001.
create or replace function outrider.require_addresses(p_function text, p_name text, p_addresses text[])
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_addresses is null or array_ndims(p_addresses) <> 1 or cardinality(p_addresses) not between 1 and 10000
    or exists (select from unnest(p_addresses) as x (address) where coalesce(length(x.address), 0) not between 1 and 2048)
  then
    raise exception using errcode = 'OR001',
      message = format('%s: %s must hold 1 to 10000 addresses of 1 to 2048 characters', p_function, p_name);
  end if;
end;
$$;
