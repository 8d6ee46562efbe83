-- Checks how long a mark is kept: a second to 366 days. The right length depends on how long the broker redelivers, so
-- the configuration sets closer bounds.
--
-- Raises: OR001.
create or replace function outrider.require_ttl(p_function text, p_ttl_ms bigint)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_ttl_ms is null or p_ttl_ms not between 1000 and 31622400000 then
    raise exception using errcode = 'OR001',
      message = format('%s: ttl_ms is %s; 1000 to 31622400000 (a second to 366 days) are allowed',
        p_function, coalesce(p_ttl_ms::text, 'missing'));
  end if;
end;
$$;
