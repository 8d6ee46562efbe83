-- Gives up messages that could not be delivered within a day, also those of a target that is disabled, and those whose
-- sender has died: its lease is over.
create or replace function outrider.give_up_notifications(p_workspace_id text, p_now timestamptz)
  returns void
  language sql
  volatile
as $$
  update outrider.alert_notifications n
  set status = 'failed', ended_at = p_now, claim_token = null, lease_until = null, last_error = coalesce(
    n.last_error, case when n.claim_token is null then 'the target was disabled for a day' else 'its sender has died' end)
  where n.workspace_id = p_workspace_id and n.status <> 'sent' and n.status = 'queued'
    and n.created_at <= p_now - interval '1 day' and coalesce(n.lease_until, '-infinity') <= p_now;
$$;
