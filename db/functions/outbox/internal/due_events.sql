-- Events that failed fewer than p_max_attempts times and whose backoff has ended, the longest due first: at most
-- p_limit for each number of attempts, locked or not.
create or replace function outrider.due_events(p_limit integer, p_max_attempts integer, p_now timestamptz)
  returns table (event_id uuid, attempt_count integer, not_before timestamptz)
  language plpgsql
  stable
  rows 100
as $$
begin
  return query
  select b.event_id, b.attempt_count, b.not_before
  from generate_series(0, p_max_attempts - 1) as n (attempts)
  cross join lateral (
    select x.event_id, x.attempt_count, x.not_before from outrider.outbox_backoff x
    where x.attempt_count = n.attempts and x.not_before <= p_now
    order by x.not_before
    limit p_limit
  ) b
  order by b.not_before, b.event_id;
end;
$$;
