create or replace function outrider.commit_notification(
  p_workspace_id text,
  p_notification_id uuid,
  p_claim_token uuid,
  p_error text,
  p_retry_after interval,
  p_left_to_others boolean,
  p_now timestamptz default clock_timestamp()
)
  returns text
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_status outrider.notification_status;
  v_left boolean;
begin
  perform outrider.require_workspace('commit_notification', p_workspace_id);
  if p_notification_id is null or p_claim_token is null then
    raise exception using errcode = 'OR001', message = format('commit_notification: %s is missing',
      case when p_notification_id is null then 'notification_id' else 'claim_token' end);
  end if;
  if p_error is not null then
    perform outrider.require_text('commit_notification', 'error', p_error, 10000);
  end if;
  if p_retry_after not between interval '0' and interval '1 day' then
    raise exception using errcode = 'OR001', message = 'commit_notification: retry_after must be 0 to 1 day';
  end if;
  perform outrider.require_flag('commit_notification', 'left_to_others', p_left_to_others);
  perform outrider.require_time('commit_notification', p_now);

  perform from outrider.alert_targets t
  join outrider.alert_notifications n on n.workspace_id = t.workspace_id and n.alert_target_id = t.alert_target_id
  where n.workspace_id = p_workspace_id and n.notification_id = p_notification_id
  for no key update of t;
  update outrider.alert_notifications n
  set status = o.status, claim_token = null, lease_until = null,
      ended_at = case when o.status <> 'queued' then p_now end,
      last_error = case when p_error is not null then left(outrider.mask_text(p_error), 1000) end,
      next_try_at = p_now + case
        when p_left_to_others and n.attempts <= 10 then interval '15 seconds'
        else greatest(p_retry_after, least(interval '1 minute' * 2 ^ least(n.attempts - 1, 10), interval '30 minutes'))
      end
  from (
    select x.notification_id, (case
      when p_error is null then 'sent'
      when x.created_at <= p_now - interval '1 day' then 'failed'
      else 'queued'
    end)::outrider.notification_status as status
    from outrider.alert_notifications x
    where x.workspace_id = p_workspace_id and x.notification_id = p_notification_id and x.claim_token = p_claim_token
    for update
  ) o
  where n.workspace_id = p_workspace_id and n.notification_id = o.notification_id
  returning n.status, n.status = 'queued' and p_left_to_others and n.attempts <= 10 into v_status, v_left;
  if v_status = 'sent' or v_left then
    -- Whoever left the message to others has begun nothing.
    update outrider.alert_targets t
    set reached_at = case when v_left then t.reached_at else p_now end, told_at = case when not v_left then t.told_at end
    from outrider.alert_notifications n
    where n.workspace_id = p_workspace_id and n.notification_id = p_notification_id
      and t.workspace_id = n.workspace_id and t.alert_target_id = n.alert_target_id;
  end if;
  return v_status::text;
end;
$$;

comment on function outrider.commit_notification is $doc$Records what became of a notification. p_error null: it was delivered. Otherwise it is tried again after one
minute, two, four and so on up to half an hour, but not before p_retry_after; after a day it has failed.

p_left_to_others: the caller lacks a secret or a setting that another process may have. The first ten times the notification is
due again after 15 seconds, for whoever takes it first.
Concurrency: locks the target, then the notification.
Returns: sent, queued (it is tried again) or failed; null when the claim is stale.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.commit_notification to outrider_service;
