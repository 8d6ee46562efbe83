-- Why a delivery that waits is not due yet: its slot lies ahead, it was handed in for later, or its next attempt is.
--
-- Returns: a list of one; empty when it is due.
create or replace function outrider.explain_due_time(
  p_delivery outrider.deliveries,
  p_channel outrider.channels,
  p_group outrider.platform_limits,
  p_title text,
  p_now timestamptz
)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
declare
  v_error constant jsonb := p_delivery.last_error;
  v_order record;
begin
  if p_delivery.status = 'retry' and p_delivery.next_retry_at > p_now then
    v_order := outrider.latest_order(p_delivery, 'manual_requeue');
    return array[outrider.say(
      case
        when v_order.ts = p_delivery.updated_at and v_order.meta ->> 'from_status' <> 'sending' then 'retry_ordered'
        when v_error ->> 'code' = 'media_unreadable' then 'retry_media_unreadable'
        when v_error ->> 'cause' = 'pace' then 'retry_told_to_wait'
        when v_error ->> 'cause' = 'not_ready' then 'retry_media_not_ready'
        when v_error ->> 'cause' = 'outage' then 'retry_platform_ill'
        when v_error ->> 'code' = 'outcome_unknown' and not v_error ? 'cause' then 'retry_sender_gone'
        else 'retry_failed'
      end,
      p_delivery.next_retry_at,
      jsonb_build_object(
        'delivery_id', p_delivery.delivery_id, 'channel_id', p_delivery.channel_id, 'platform', p_title,
        'attempt', p_delivery.attempt, 'attempt_limit', p_delivery.attempt_limit,
        'error', outrider.error_in_words(v_error), 'remedy', outrider.remedy_of(v_error),
        'operator', v_order.meta ->> 'operator', 'said', rtrim(v_order.meta ->> 'reason', '. '),
        'at', outrider.time_in_words(v_order.ts)))];
  elsif p_delivery.status = 'claimed' and p_delivery.not_before > p_now then
    return array[outrider.say(
      case when outrider.slot_step(p_channel.rate_rps) >= outrider.slot_step(p_group.rate_rps) then 'slot' else 'group_pace' end,
      p_delivery.not_before,
      jsonb_build_object(
        'delivery_id', p_delivery.delivery_id, 'channel_id', p_delivery.channel_id, 'rate_group', p_channel.rate_group,
        'pace', outrider.pace_in_words(
          case when outrider.slot_step(p_channel.rate_rps) >= outrider.slot_step(p_group.rate_rps)
            then p_channel.rate_rps else p_group.rate_rps end)))];
  elsif p_delivery.status = 'queued' and p_delivery.not_before > p_now then
    return array[outrider.say('scheduled', p_delivery.not_before, jsonb_build_object(
      'delivery_id', p_delivery.delivery_id, 'channel_id', p_delivery.channel_id))];
  end if;
  return array[]::outrider.explanation[];
end;
$$;
