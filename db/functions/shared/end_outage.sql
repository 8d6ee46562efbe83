-- Ends the streak of failures of a rate group, and with it its rest and probing: its platform is well.
--
-- Concurrency: the group is locked by the caller.
create or replace function outrider.end_outage(p_group outrider.platform_limits, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
begin
  update outrider.platform_limits g
  set outage_channels = null, outage_since = null, resting_until = null,
      opened_at = case when g.outage_since is null then g.opened_at else p_now end, updated_at = p_now
  where g.workspace_id = p_group.workspace_id and g.platform = p_group.platform and g.rate_group = p_group.rate_group;
  if p_group.outage_since is not null then
    perform outrider.write_group_event(p_group, 'group_opened',
      jsonb_build_object('reason', 'a post was sent', 'outage_since', p_group.outage_since), p_now);
  end if;
end;
$$;
