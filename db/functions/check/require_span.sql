-- Checks a length of time: p_least to p_most. A missing one is refused.
--
-- Returns: the length.
-- Raises: OR001.
create or replace function outrider.require_span(
  p_function text,
  p_name text,
  p_span interval,
  p_least interval,
  p_most interval
)
  returns interval
  language plpgsql
  immutable
as $$
begin
  if p_span is null or p_span not between p_least and p_most then
    raise exception using errcode = 'OR001',
      message = format('%s: %s is %s; %s to %s are allowed', p_function, p_name, coalesce(justify_hours(p_span)::text, 'missing'),
        outrider.span_in_words(p_least), outrider.span_in_words(p_most));
  end if;
  return p_span;
end;
$$;
