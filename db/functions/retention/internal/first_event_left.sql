-- The time of the oldest event of a workspace that a purge leaves; infinity where it leaves none. p_longest: the longest
-- events_retention of all workspaces, whose events go with the whole of their day.
create or replace function outrider.first_event_left(
  p_settings outrider.workspace_settings,
  p_longest interval,
  p_now timestamptz
)
  returns timestamptz
  language sql
  stable
as $$
  select coalesce(min(e.ts), 'infinity') from outrider.event_log e
  where e.workspace_id = p_settings.workspace_id and (
    e.ts >= p_now - p_settings.events_retention
    or (p_settings.events_retention = p_longest and e.ts >= date_trunc('day', p_now - p_longest, 'UTC')
      and e.tableoid <> 'outrider.events_default'::regclass));
$$;
