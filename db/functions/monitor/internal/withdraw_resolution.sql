-- Takes the news that an alert is resolved out of the messages that nobody has begun to send: the alert has come back.
--
-- Returns: whether there was such news.
create or replace function outrider.withdraw_resolution(p_alert outrider.alerts)
  returns boolean
  language plpgsql
  volatile
as $$
declare
  v_notification outrider.alert_notifications;
  v_message record;
  v_changes jsonb;
  v_found boolean := false;
begin
  for v_notification in
    select n.* from outrider.alert_notifications n
    where n.workspace_id = p_alert.workspace_id and n.status = 'queued' and n.attempts = 0 and n.claim_token is null
      and n.changes @> jsonb_build_array(jsonb_build_object('alert_id', p_alert.alert_id, 'change', 'resolved'))
    for update skip locked
  loop
    v_found := true;
    select coalesce(jsonb_agg(e.value), '[]') into v_changes
    from jsonb_array_elements(v_notification.changes) e
    where e.value ->> 'alert_id' <> p_alert.alert_id::text;
    if v_changes = '[]' then
      delete from outrider.alert_notifications n
      where n.workspace_id = p_alert.workspace_id and n.notification_id = v_notification.notification_id;
    else
      v_message := outrider.alert_message(p_alert.workspace_id, v_changes);
      update outrider.alert_notifications n
      set changes = v_changes, subject = v_message.subject, body = v_message.body
      where n.workspace_id = p_alert.workspace_id and n.notification_id = v_notification.notification_id;
    end if;
  end loop;
  return v_found;
end;
$$;
