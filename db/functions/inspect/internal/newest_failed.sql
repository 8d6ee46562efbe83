-- The deliveries of some channels that failed last within a span of time: refused for good, or dead.
--
-- Failures are read in the order in which they happened, of all channels and both kinds; the latest 20,000 are
-- searched.
-- Returns: their ids, the latest failure first; of failures at the same time, the newest delivery first.
create or replace function outrider.newest_failed(
  p_workspace_id text,
  p_channels text[],
  p_statuses outrider.delivery_status[],
  p_within tstzrange,
  p_failed_before timestamptz,
  p_before bigint,
  p_limit integer
)
  returns uuid[]
  language plpgsql
  stable
  set enable_sort = off -- so that it sorts incrementally, only as far as the page reaches
as $$
begin
  return array(
    select f.delivery_id
    from (
      select d.delivery_id, d.status, d.channel_id, d.failed_at, d.seq from outrider.deliveries d
      where d.workspace_id = p_workspace_id and d.failed_at is not null and d.failed_at <= p_failed_before
        and d.failed_at >= coalesce(lower(p_within), '-infinity') and d.failed_at < coalesce(upper(p_within), 'infinity')
        and (d.failed_at, d.seq) < (p_failed_before, p_before)
      order by d.failed_at desc, d.seq desc
      limit 20000
    ) f
    where f.status = any (p_statuses) and f.channel_id = any (p_channels)
    order by f.failed_at desc, f.seq desc
    limit p_limit
  );
end;
$$;
