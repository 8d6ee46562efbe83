-- The rate groups of a workspace that are not open (group_state), by platform and name:
-- [{platform, rate_group, state, since, until, reason, channels}]. A group without channels is left out.
create or replace function outrider.stopped_groups(p_workspace_id text, p_now timestamptz)
  returns json
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
      'platform', g.platform, 'rate_group', g.rate_group, 'state', s.state, 'since', s.since, 'until', s.until,
      'reason', s.reason, 'channels', c.count
    ) order by g.platform, g.rate_group), '[]')
    from outrider.platform_limits g
    cross join lateral outrider.group_state(g, p_now) s
    cross join lateral (
      select count(*) from outrider.channels x
      where x.workspace_id = g.workspace_id and x.platform = g.platform and x.rate_group = g.rate_group
    ) c
    where g.workspace_id = p_workspace_id and s.state <> 'open' and c.count > 0
  );
end;
$$;
