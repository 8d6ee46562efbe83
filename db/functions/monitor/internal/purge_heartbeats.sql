-- A step of purge_expired: signs of life that are older than a day. By then somebody knows that the process is gone.
create or replace function outrider.purge_heartbeats(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  volatile
as $$
declare
  v_services uuid[];
begin
  v_services := array(
    select h.service_id from outrider.service_heartbeats h
    where h.seen_at < p_now - interval '1 day'
    limit case when not p_dry_run then p_limit end);
  if not p_dry_run then
    delete from outrider.service_heartbeats h where h.service_id = any (v_services);
  end if;
  if cardinality(v_services) > 0 then
    return next row('service_heartbeats', null, cardinality(v_services)::bigint,
      not p_dry_run and cardinality(v_services) >= p_limit, null)::outrider.purged;
  end if;
end;
$$;
