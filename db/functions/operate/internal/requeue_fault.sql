-- Why a delivery cannot be sent again, in words; null when it can. An all-null delivery is an unknown one.
create or replace function outrider.requeue_fault(p_delivery outrider.deliveries, p_now timestamptz)
  returns text
  language sql
  stable
as $$
  select case
    when p_delivery.delivery_id is null then 'there is no such delivery in this workspace'
    when p_delivery.status not in ('dead', 'failed_permanent') then format('it is "%s", neither dead nor failed', p_delivery.status)
    when p_delivery.attempt = 0 and p_delivery.last_error ->> 'code' = 'validation_failed'
      then 'it never passed its checks; send the corrected post instead'
    when p_delivery.last_error ->> 'scope' = 'channel' and not exists (
      select from outrider.channels c
      where c.workspace_id = p_delivery.workspace_id and c.channel_id = p_delivery.channel_id
        and c.enabled and coalesce(c.paused_until, '-infinity') <= p_now
    ) then 'it failed for its channel, which is still paused or disabled; resume or enable that first'
    when exists (
      select from outrider.deliveries d
      where d.workspace_id = p_delivery.workspace_id and d.message_id = p_delivery.message_id
        and d.channel_id = p_delivery.channel_id and d.occurrence > p_delivery.occurrence
    ) then 'the same message was accepted for this channel again'
  end;
$$;
