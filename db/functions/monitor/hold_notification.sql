create or replace function outrider.hold_notification(
  p_workspace_id text,
  p_notification_id uuid,
  p_claim_token uuid,
  p_lease interval,
  p_now timestamptz default clock_timestamp()
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_workspace('hold_notification', p_workspace_id);
  if p_notification_id is null or p_claim_token is null then
    raise exception using errcode = 'OR001', message = format('hold_notification: %s is missing',
      case when p_notification_id is null then 'notification_id' else 'claim_token' end);
  end if;
  if outrider.require_lease_length('hold_notification', p_lease) is null then
    raise exception using errcode = 'OR001', message = 'hold_notification: lease is missing; 1 second to 1 day are allowed';
  end if;
  perform outrider.require_time('hold_notification', p_now);

  update outrider.alert_notifications n set lease_until = greatest(n.lease_until, p_now + p_lease)
  where n.workspace_id = p_workspace_id and n.notification_id = p_notification_id and n.claim_token = p_claim_token;
  return found;
end;
$$;

comment on function outrider.hold_notification is $doc$Asks whether a notification is still held under a claim token, and holds it for p_lease from now. For a sender that did not
claim the notification itself and does not know when that was.

Concurrency: locks the notification. While that is committed or claimed anew, the call waits, and then answers false.
Returns: false when the notification is not held under the token.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.hold_notification to outrider_service;
