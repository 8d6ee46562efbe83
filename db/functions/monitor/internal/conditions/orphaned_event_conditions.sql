-- Events whose delivery, message or channel is gone. Nothing looks for them yet, so that there is no such condition.
create or replace function outrider.orphaned_event_conditions(p_settings outrider.workspace_settings, p_now timestamptz)
  returns setof outrider.alert_condition
  language sql
  stable
as $$
  select c.* from unnest('{}'::outrider.alert_condition[]) c where p_settings.workspace_id is not null and p_now is not null;
$$;
