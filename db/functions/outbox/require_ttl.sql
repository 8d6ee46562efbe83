-- Checks how long a mark is to be kept: 7 to 30 days, which is longer than brokers redeliver.
--
-- Raises: OR001.
create or replace function outrider.require_ttl(p_function text, p_ttl_ms bigint)
  returns void
  language plpgsql
  immutable
  set search_path = outrider, pg_temp
as $$
begin
  if p_ttl_ms is null or p_ttl_ms not between 604800000 and 2592000000 then
    raise exception using errcode = 'OR001',
      message = format('%s: ttl_ms is %s; 604800000 to 2592000000 (7 to 30 days) are allowed',
        p_function, coalesce(p_ttl_ms::text, 'missing'));
  end if;
end;
$$;
