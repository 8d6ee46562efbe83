create or replace function outrider.next_publish_at(p_max_attempts integer, p_now timestamptz default clock_timestamp())
  returns timestamptz
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
begin
  perform outrider.require_publishing('next_publish_at', p_max_attempts, p_now);

  return (
    select min(b.not_before)
    from generate_series(0, p_max_attempts - 1) as n (attempts)
    cross join lateral (
      select x.not_before from outrider.outbox_backoff x
      where x.attempt_count = n.attempts and x.not_before > p_now and x.not_before < 'infinity'
      order by x.not_before
      limit 1
    ) b
  );
end;
$$;

comment on function outrider.next_publish_at is $doc$When the next backoff ends, so that a publisher that found nothing can sleep until then; null when none is running.
A backoff that has ended is no reason to look again: its event was fetched, or another publisher holds it.

Raises: OR001.$doc$;

grant execute on function outrider.next_publish_at to outrider_publisher;
