-- Queues a health snapshot for each enabled target for which snapshot_every has passed since the last one.
--
-- Concurrency: the targets are locked by the caller.
create or replace function outrider.queue_snapshots(p_settings outrider.workspace_settings, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_targets text[];
  v_body text;
begin
  v_targets := array(
    select t.alert_target_id from outrider.alert_targets t
    where t.workspace_id = p_settings.workspace_id and t.enabled
      and coalesce(
        t.snapshot_at + p_settings.snapshot_every <= p_now or t.snapshot_at > p_now + interval '1 minute',
        p_settings.snapshot_every is not null)
    order by t.alert_target_id);
  if v_targets = '{}' then
    return;
  end if;
  v_body := outrider.snapshot_message(outrider.health_snapshot(p_settings.workspace_id, p_now)::jsonb);
  insert into outrider.alert_notifications
    (workspace_id, notification_id, alert_target_id, next_try_at, created_at, changes, subject, body)
  select p_settings.workspace_id, gen_random_uuid(), x.id, p_now, p_now, '[]',
    format('workspace %s: health snapshot', p_settings.workspace_id), v_body
  from unnest(v_targets) as x (id);
  update outrider.alert_targets t set snapshot_at = p_now
  where t.workspace_id = p_settings.workspace_id and t.alert_target_id = any (v_targets);
end;
$$;
