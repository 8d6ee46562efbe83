create or replace function outrider.claim_notifications(
  p_limit integer,
  p_lease interval,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    workspace_id text,
    notification_id uuid,
    claim_token uuid,
    alert_target_id text,
    address json,
    subject text,
    body text,
    changes jsonb,
    created_at timestamptz
  )
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_target outrider.alert_targets;
  v_notification outrider.alert_notifications;
  v_taken integer := 0;
begin
  perform outrider.require_count('claim_notifications', p_limit, 100);
  if outrider.require_lease_length('claim_notifications', p_lease) is null then
    raise exception using errcode = 'OR001', message = 'claim_notifications: lease is missing; 1 second to 1 day are allowed';
  end if;
  perform outrider.require_time('claim_notifications', p_now);

  for v_target in
    select t.* from outrider.alert_targets t
    where t.enabled
      -- A time that lies ahead was written before the clock was set back.
      and coalesce(t.told_at <= p_now - interval '1 minute' or t.told_at > p_now + interval '1 minute', true) and exists (
      select from outrider.alert_notifications n
      where n.workspace_id = t.workspace_id and n.alert_target_id = t.alert_target_id and n.status <> 'sent'
        and n.status = 'queued' and (n.next_try_at <= p_now or n.attempts = 0))
    order by t.workspace_id, t.alert_target_id
    for no key update skip locked
  loop
    exit when v_taken = p_limit;
    select n.* into v_notification from outrider.alert_notifications n
    where n.workspace_id = v_target.workspace_id and n.alert_target_id = v_target.alert_target_id and n.status <> 'sent'
      and n.status = 'queued' and (n.next_try_at <= p_now or n.attempts = 0) and coalesce(n.lease_until <= p_now, true)
    order by n.created_at
    limit 1
    for update skip locked;
    continue when not found;

    update outrider.alert_notifications n
    set claim_token = gen_random_uuid(), lease_until = p_now + p_lease, attempts = n.attempts + 1
    where n.workspace_id = v_notification.workspace_id and n.notification_id = v_notification.notification_id
    returning n.* into v_notification;
    update outrider.alert_targets t set told_at = p_now
    where t.workspace_id = v_target.workspace_id and t.alert_target_id = v_target.alert_target_id;
    v_taken := v_taken + 1;
    return query select v_notification.workspace_id, v_notification.notification_id, v_notification.claim_token,
      v_notification.alert_target_id, outrider.alert_address(v_target), v_notification.subject, v_notification.body,
      v_notification.changes, v_notification.created_at;
  end loop;
end;
$$;

comment on function outrider.claim_notifications is $doc$Takes notifications in order to send them: of each alert target the oldest that is due, and none when the last one to
it was begun less than a minute ago.

p_lease: how long they are held. A sender that has not committed by then counts as dead, and the notification is taken again.
Concurrency: what somebody else has locked is passed over. Targets are locked before their notifications.
Returns: address is {kind, target_id, auth_ref, secret_ref, platform, rate_group, url, recipients}, changes as in
alert_notifications.
Raises: OR001.$doc$;

grant execute on function outrider.claim_notifications to outrider_service;
