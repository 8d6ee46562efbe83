-- The rate groups of a workspace that their platform has asked to wait: until when, and the error that it asked with.
--
-- The error is that of the group's latest cooldown, of which the newest 1,000 of the workspace are looked through.
create or replace function outrider.cooling_groups(p_workspace_id text, p_now timestamptz)
  returns table (platform text, rate_group text, cooldown_until timestamptz, error jsonb)
  language plpgsql
  stable
  set search_path = outrider, pg_temp
as $$
begin
  return query
  select l.platform, l.rate_group, l.cooldown_until, e.error
  from outrider.platform_limits l
  left join lateral (
    select x.error
    from (
      select y.channel_id, y.error from outrider.events y
      where y.workspace_id = l.workspace_id and y.action = 'group_cooled_down' and y.ts <= p_now
      order by y.ts desc
      limit 1000
    ) x
    join outrider.channels c on c.workspace_id = l.workspace_id and c.channel_id = x.channel_id
    where c.platform = l.platform and c.rate_group = l.rate_group
    limit 1
  ) e on true
  where l.workspace_id = p_workspace_id and l.cooldown_until > p_now;
end;
$$;
