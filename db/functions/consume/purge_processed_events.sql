create or replace function outrider.purge_processed_events(
  p_limit integer,
  p_now timestamptz default clock_timestamp()
)
  returns integer
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_count integer;
begin
  perform outrider.require_count('purge_processed_events', p_limit, 10000);
  perform outrider.require_time('purge_processed_events', p_now);

  delete from outrider.processed_events e
  using (
    select x.consumer, x.event_id from outrider.processed_events x
    where x.expires_at <= p_now and coalesce(x.lease_until, x.expires_at) <= p_now
    order by x.expires_at
    limit p_limit
    for update skip locked
  ) expired
  where e.consumer = expired.consumer and e.event_id = expired.event_id;
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;

comment on function outrider.purge_processed_events is $doc$Deletes marks that have expired, and leases that were neither confirmed nor given back, oldest first.

Concurrency: rows that are in use are left for the next call.
Returns: how many were deleted; fewer than the limit when there are no more.
Raises: OR001.$doc$;

grant execute on function outrider.purge_processed_events to outrider_consumer, outrider_retention;
