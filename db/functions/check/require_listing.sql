-- Checks the arguments of a list. p_statuses: of list_deliveries only.
--
-- Returns: the span from p_since to p_until.
-- Raises: OR001.
create or replace function outrider.require_listing(
  p_function text,
  p_statuses outrider.delivery_status[],
  p_since timestamptz,
  p_until timestamptz,
  p_limit integer
)
  returns tstzrange
  language plpgsql
  immutable
as $$
declare
  v_fault text;
begin
  v_fault := case
    when p_limit is null or p_limit not between 1 and 1000
      then format('limit is %s; 1 to 1000 are allowed', coalesce(p_limit::text, 'missing'))
    when array_ndims(p_statuses) <> 1 or cardinality(p_statuses) = 0 or array_position(p_statuses, null) is not null
      then 'statuses must hold one state or more'
    when not isfinite(p_since) then 'since is infinite'
    when not isfinite(p_until) then 'until is infinite'
    when p_since > p_until then format('since is %s, which is after until', p_since)
  end;
  if v_fault is not null then
    raise exception using errcode = 'OR001', message = format('%s: %s', p_function, v_fault);
  end if;
  return tstzrange(p_since, p_until, '[)');
end;
$$;
