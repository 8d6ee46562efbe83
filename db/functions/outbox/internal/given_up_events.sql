-- Events that were given up, of one type or of all: those that the broker has refused for good, and those that failed
-- p_max_attempts times.
create or replace function outrider.given_up_events(
  p_event_type outrider.event_type_enum,
  p_max_attempts integer,
  p_limit integer
)
  returns table (event_id uuid)
  language plpgsql
  stable
  rows 100
as $$
begin
  return query
  select g.event_id
  from (
    (
      select b.event_id from outrider.outbox_backoff b
      where b.given_up = 'refused' and b.attempt_count < p_max_attempts
      order by b.failed_at
    )
    union all
    (
      select b.event_id from outrider.outbox_backoff b
      where b.attempt_count >= p_max_attempts
      order by b.attempt_count, b.not_before
    )
  ) g
  cross join lateral (select x.event_type from outrider.outbox_events x where x.id = g.event_id offset 0) e
  where p_event_type is null or e.event_type = p_event_type
  limit p_limit;
end;
$$;
