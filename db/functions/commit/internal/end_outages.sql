-- Ends the streak of failures of each group that delivers, and with it the group's rest and probing: its platform is
-- well. Groups without a streak are not written.
--
-- Concurrency: writes only groups that the caller has locked (lock_for_commit). A streak that began after the lock was
-- taken is left alone: its failure came later.
-- Returns: the groups of the channels that deliver, as platform/group.
create or replace function outrider.end_outages(
  p_workspace_id text,
  p_locked text[],
  p_delivering text[],
  p_now timestamptz
)
  returns text[]
  language plpgsql
  volatile
as $$
declare
  v_well constant text[] := array(
    select distinct c.platform || '/' || c.rate_group from outrider.channels c
    where c.workspace_id = p_workspace_id and c.channel_id = any (p_delivering)
  );
  v_group outrider.platform_limits;
begin
  for v_group in
    select g.* from outrider.platform_limits g
    where g.workspace_id = p_workspace_id and g.outage_channels is not null
      and g.platform || '/' || g.rate_group = any (p_locked) and g.platform || '/' || g.rate_group = any (v_well)
  loop
    perform outrider.end_outage(v_group, p_now);
  end loop;
  return v_well;
end;
$$;
