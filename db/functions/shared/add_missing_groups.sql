-- Adds the rows of platform_limits that rate groups of some channels lack, with the rate of their platform: a group that
-- the configuration does not limit has a row only once something has to be locked or counted for it.
--
-- Concurrency: rows are added in the order in which groups are locked.
create or replace function outrider.add_missing_groups(p_workspace_id text, p_channel_ids text[], p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  insert into outrider.platform_limits (workspace_id, platform, rate_group, rate_rps, updated_at)
  select distinct c.workspace_id, c.platform, c.rate_group, p.group_rps, p_now
  from outrider.channels c
  join outrider.platforms p on p.platform = c.platform
  where c.workspace_id = p_workspace_id and c.channel_id = any (p_channel_ids)
    and not exists (
      select from outrider.platform_limits g
      where g.workspace_id = p_workspace_id and g.platform = c.platform and g.rate_group = c.rate_group
    )
  order by c.platform, c.rate_group
  on conflict do nothing;
end;
$$;
