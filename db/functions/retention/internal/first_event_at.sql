-- The time of the oldest event that is left of a workspace; infinity where there is none.
create or replace function outrider.first_event_at(p_workspace_id text)
  returns timestamptz
  language sql
  stable
as $$
  select coalesce(min(e.ts), 'infinity') from outrider.event_log e where e.workspace_id = p_workspace_id;
$$;
