-- A step of purge_expired: signs of life that are older than a day. By then somebody knows that the process is gone.
--
-- Concurrency: those that are locked are passed over.
create or replace function outrider.purge_heartbeats(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  volatile
as $$
declare
  v_count bigint;
begin
  if p_dry_run then
    select count(*) into v_count from outrider.service_heartbeats h where h.seen_at < p_now - interval '1 day';
  else
    delete from outrider.service_heartbeats h
    using (
      select x.service_id from outrider.service_heartbeats x
      where x.seen_at < p_now - interval '1 day'
      limit p_limit
      for update skip locked
    ) old
    where h.service_id = old.service_id;
    get diagnostics v_count = row_count;
  end if;
  if v_count > 0 then
    return next row('service_heartbeats', null, v_count, not p_dry_run and v_count >= p_limit, null)::outrider.purged;
  end if;
end;
$$;
