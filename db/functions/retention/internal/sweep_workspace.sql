-- Goes on with the sweep of one workspace: deletes what it has kept long enough, the oldest first, until p_limit rows were
-- looked at or none is left; then it counts the orphans of the event log, and is due again a day later.
--
-- Events go first: no delivery goes before them.
-- Concurrency: the caller has locked the sweep.
-- Returns: a row for each kind, and how many rows were looked at.
create or replace function outrider.sweep_workspace(
  p_sweep outrider.retention_sweeps,
  p_limit integer,
  p_now timestamptz,
  out purged outrider.purged[],
  out looked integer
)
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_sweep.workspace_id;
  v_settings outrider.workspace_settings;
  v_count integer;
  v_deliveries record;
  v_messages record;
  v_bot record;
begin
  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = v_workspace_id;

  v_count := outrider.sweep_events(v_workspace_id, p_limit, v_settings.events_retention, p_now);
  looked := v_count;
  purged := array[row('events', v_workspace_id, v_count, looked >= p_limit, null)::outrider.purged];
  if looked >= p_limit then
    return;
  end if;

  v_count := outrider.sweep_runs(v_workspace_id, p_limit - looked, v_settings.ingest_runs_retention, p_now);
  looked := looked + v_count;
  purged := purged || row('ingest_runs', v_workspace_id, v_count, looked >= p_limit, null)::outrider.purged;
  if looked >= p_limit then
    return;
  end if;

  v_bot := outrider.sweep_bot(v_settings, p_limit - looked, p_now);
  looked := looked + v_bot.looked;
  purged := purged || v_bot.purged;
  if looked >= p_limit or exists (select from unnest(v_bot.purged) as u where u.more) then
    return;
  end if;

  v_deliveries := outrider.sweep_deliveries(p_sweep, p_limit - looked, v_settings.deliveries_retention, p_now);
  looked := looked + v_deliveries.looked;
  purged := purged
    || row('deliveries', v_workspace_id, v_deliveries.removed, not v_deliveries.is_done, null)::outrider.purged;
  update outrider.retention_sweeps s
  set channel_id = v_deliveries.channel_id, seq = v_deliveries.seq
  where s.workspace_id = v_workspace_id;
  if not v_deliveries.is_done then
    return;
  end if;

  v_messages := outrider.sweep_messages(p_sweep, greatest(1, p_limit - looked), v_settings.deliveries_retention, p_now);
  looked := looked + v_messages.looked;
  purged := purged || row('messages', v_workspace_id, v_messages.removed, not v_messages.is_done, null)::outrider.purged;
  if v_messages.is_done then
    update outrider.retention_sweeps s
    set due_at = p_now + interval '1 day', channel_id = default, seq = default, message_created_at = default,
        message_id = default,
        orphaned_events = (
          select count(*)::integer from outrider.reconcile_events(v_workspace_id, 1000, p_now) o where o.missing <> 'channel')
    where s.workspace_id = v_workspace_id;
  else
    update outrider.retention_sweeps s
    set message_created_at = v_messages.created_at, message_id = v_messages.message_id
    where s.workspace_id = v_workspace_id;
  end if;
end;
$$;
