-- A step of purge_expired: what consumers of the outbox remember of events, when its time is over.
create or replace function outrider.purge_processed(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  volatile
as $$
declare
  v_count bigint;
begin
  if p_dry_run then
    select count(*) into v_count from outrider.processed_events e
    where e.expires_at <= p_now and coalesce(e.lease_until, e.expires_at) <= p_now;
  else
    v_count := outrider.purge_processed_events(p_limit, p_now)::bigint;
  end if;
  if v_count > 0 then
    return next row('processed_events', null, v_count, not p_dry_run and v_count >= p_limit, null)::outrider.purged;
  end if;
end;
$$;
