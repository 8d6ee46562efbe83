-- Removes signs of life that are older than a day: by then somebody knows that the process is gone.
--
-- p_dry_run: only counts.
-- Returns: how many were removed, or would be.
create or replace function outrider.purge_heartbeats(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns bigint
  language plpgsql
  volatile
as $$
declare
  v_count bigint;
begin
  if p_dry_run then
    return (select count(*) from outrider.service_heartbeats h where h.seen_at < p_now - interval '1 day');
  end if;
  delete from outrider.service_heartbeats h
  using (
    select x.service_id from outrider.service_heartbeats x where x.seen_at < p_now - interval '1 day'
    limit p_limit
    for update skip locked
  ) old
  where h.service_id = old.service_id;
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
