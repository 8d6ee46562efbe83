-- Queues changes of alerts as one message for each enabled target, from its min_severity on. A message that nobody has
-- begun to send takes the changes in; of one alert it tells the latest change. A target is not told that it cannot be
-- reached itself.
--
-- Concurrency: the targets are locked by the caller.
create or replace function outrider.queue_notifications(p_workspace_id text, p_changes jsonb, p_now timestamptz)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_target outrider.alert_targets;
  v_changes jsonb;
  v_waiting outrider.alert_notifications;
  v_message record;
begin
  if p_changes = '[]' then
    return;
  end if;
  for v_target in
    select t.* from outrider.alert_targets t where t.workspace_id = p_workspace_id and t.enabled order by t.alert_target_id
  loop
    select coalesce(jsonb_agg(e.value order by e.place), '[]') into v_changes
    from jsonb_array_elements(p_changes) with ordinality as e (value, place)
    where (e.value ->> 'severity')::outrider.alert_severity >= v_target.min_severity
      and not (e.value ->> 'kind' = 'alert_undelivered' and e.value ->> 'subject' = v_target.alert_target_id);
    continue when v_changes = '[]';

    select n.* into v_waiting from outrider.alert_notifications n
    where n.workspace_id = p_workspace_id and n.alert_target_id = v_target.alert_target_id and n.status <> 'sent'
      and n.status = 'queued' and n.attempts = 0 and n.claim_token is null and n.changes <> '[]'
    order by n.created_at desc
    limit 1
    for update skip locked;
    if found then
      select coalesce(jsonb_agg(e.value order by e.place), '[]') || v_changes into v_changes
      from jsonb_array_elements(v_waiting.changes) with ordinality as e (value, place)
      where not exists (
        select from jsonb_array_elements(v_changes) c where c.value ->> 'alert_id' = e.value ->> 'alert_id');
    end if;
    v_message := outrider.alert_message(p_workspace_id, v_changes);
    if v_waiting.notification_id is null then
      insert into outrider.alert_notifications
        (workspace_id, notification_id, alert_target_id, next_try_at, created_at, changes, subject, body)
      values (p_workspace_id, gen_random_uuid(), v_target.alert_target_id, p_now, p_now, v_changes, v_message.subject, v_message.body);
    else
      update outrider.alert_notifications n
      set changes = v_changes, subject = v_message.subject, body = v_message.body
      where n.workspace_id = p_workspace_id and n.notification_id = v_waiting.notification_id;
    end if;
  end loop;
end;
$$;
