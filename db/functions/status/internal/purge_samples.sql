-- A step of purge_expired: samples that are older than eight days. The status page shows a week.
--
-- Concurrency: those that are locked are passed over.
create or replace function outrider.purge_samples(p_limit integer, p_dry_run boolean, p_now timestamptz)
  returns setof outrider.purged
  language plpgsql
  volatile
as $$
declare
  v_before constant timestamptz := p_now - interval '8 days';
  v_queue bigint;
  v_channels bigint;
begin
  if p_dry_run then
    select count(*) into v_queue from outrider.queue_samples s where s.at < v_before;
    select count(*) into v_channels from outrider.channel_samples s where s.at < v_before;
  else
    delete from outrider.queue_samples s
    using (
      select x.workspace_id, x.at
      from outrider.workspaces w
      cross join lateral (
        select y.* from outrider.queue_samples y
        where y.workspace_id = w.workspace_id and y.at < v_before
        order by y.at
        limit p_limit
        for update skip locked
      ) x
      limit p_limit
    ) old
    where s.workspace_id = old.workspace_id and s.at = old.at;
    get diagnostics v_queue = row_count;
    delete from outrider.channel_samples s
    using (
      select x.workspace_id, x.at, x.channel_id
      from outrider.workspaces w
      cross join lateral (
        select y.* from outrider.channel_samples y
        where y.workspace_id = w.workspace_id and y.at < v_before
        order by y.at
        limit p_limit
        for update skip locked
      ) x
      limit p_limit
    ) old
    where s.workspace_id = old.workspace_id and s.at = old.at and s.channel_id = old.channel_id;
    get diagnostics v_channels = row_count;
  end if;
  return query
  select p.what, null::text, p.removed, not p_dry_run and p.removed >= p_limit, null::text
  from (values ('queue_samples', v_queue), ('channel_samples', v_channels)) as p (what, removed)
  where p.removed > 0;
end;
$$;
