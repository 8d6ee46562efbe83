-- Events whose delivery or message is gone, as the last whole sweep of the purge has counted them.
create or replace function outrider.orphaned_event_conditions(p_settings outrider.workspace_settings)
  returns setof outrider.alert_condition
  language sql
  stable
as $$
  select
    'orphaned_events', null, 'warning'::outrider.alert_severity,
    format('%s of the record name a delivery or a message that is gone; somebody has deleted rows by hand, and outrider.reconcile_events lists them',
      case s.orphaned_events when 1 then '1 event' else s.orphaned_events || ' events' end),
    jsonb_build_object('count', s.orphaned_events), null::timestamptz
  from outrider.retention_sweeps s
  where s.workspace_id = p_settings.workspace_id and s.orphaned_events > 0;
$$;
