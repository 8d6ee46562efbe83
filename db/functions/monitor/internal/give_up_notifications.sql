-- Gives up messages that could not be delivered within a day, also those of a target that is disabled.
create or replace function outrider.give_up_notifications(p_workspace_id text, p_now timestamptz)
  returns void
  language sql
  volatile
as $$
  update outrider.alert_notifications n
  set status = 'failed', ended_at = p_now, last_error = coalesce(n.last_error, 'the target was disabled for a day')
  where n.workspace_id = p_workspace_id and n.status <> 'sent' and n.status = 'queued'
    and n.created_at <= p_now - interval '1 day' and coalesce(n.lease_until, '-infinity') <= p_now and n.claim_token is null;
$$;
