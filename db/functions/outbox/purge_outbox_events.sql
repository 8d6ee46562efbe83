create or replace function outrider.purge_outbox_events(
  p_older_than interval,
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
  v_deleted integer;
begin
  if p_older_than is null or p_older_than < interval '0' or p_older_than > interval '1000 years' then
    raise exception using errcode = 'OR001',
      message = 'purge_outbox_events: older_than must be a time from 0 to 1000 years';
  end if;
  perform outrider.require_count('purge_outbox_events', p_limit, 100000);
  perform outrider.require_time('purge_outbox_events', p_now);

  delete from outrider.outbox_events e
  using (
    select x.id from outrider.outbox_events x
    where x.published_at < p_now - p_older_than
    order by x.published_at
    limit p_limit
    for update skip locked
  ) old
  where e.id = old.id;
  get diagnostics v_deleted = row_count;
  return v_deleted;
end;
$$;

comment on function outrider.purge_outbox_events is $doc$Deletes events that were published longer than p_older_than ago, the oldest first, at most p_limit of them. An event
that is not published stays, however old it is.

Concurrency: skips events that another purge is deleting.
Returns: how many were deleted; call it again while that is p_limit.
Raises: OR001.$doc$;

grant execute on function outrider.purge_outbox_events to outrider_retention;
