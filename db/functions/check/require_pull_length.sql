-- Checks the length of a puller's lease: a second to a day, and never missing.
--
-- Raises: OR001.
create or replace function outrider.require_pull_length(p_function text, p_lease interval)
  returns void
  language plpgsql
  immutable
as $$
begin
  if outrider.require_lease_length(p_function, p_lease) is null then
    raise exception using errcode = 'OR001',
      message = format('%s: lease is missing; 1 second to 1 day are allowed', p_function);
  end if;
end;
$$;
