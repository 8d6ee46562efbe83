-- Why a delivery cannot be sent again, in words; null when it can. An all-null delivery is an unknown one.
create or replace function outrider.requeue_fault(p_delivery outrider.deliveries, p_now timestamptz)
  returns text
  language sql
  stable
as $$
  select case
    when p_delivery.delivery_id is null then 'there is no such delivery in this workspace'
    when p_delivery.status = 'deduped' and not p_delivery.render_meta ? 'similar'
      then 'it repeats a post that the channel has; only what seemed nearly the same can be sent all the same'
    when p_delivery.status not in ('dead', 'failed_permanent', 'deduped') then format('it is "%s", neither dead nor failed', p_delivery.status)
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
        and d.channel_id = p_delivery.channel_id
        and case
          when p_delivery.occurrence is not null then d.occurrence > p_delivery.occurrence
          else d.occurrence is not null and (d.seq > p_delivery.seq or d.status in ('queued', 'claimed', 'sending', 'retry'))
        end
    ) then 'the same message was accepted for this channel again'
    when p_delivery.status = 'deduped' then (
      select format('the same message was suppressed again later; requeue delivery %s instead', d.delivery_id)
      from outrider.deliveries d
      where d.workspace_id = p_delivery.workspace_id and d.message_id = p_delivery.message_id
        and d.channel_id = p_delivery.channel_id and d.status = 'deduped' and d.render_meta ? 'similar'
        and d.seq > p_delivery.seq
      order by d.seq desc
      limit 1
    )
  end;
$$;
