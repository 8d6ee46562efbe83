-- How a delivery ended, and why.
--
-- Returns: a list of one; empty for a delivery that has not ended.
create or replace function outrider.explain_end(p_delivery outrider.deliveries, p_title text)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
declare
  v_error constant jsonb := p_delivery.last_error;
  v_order record;
begin
  if p_delivery.status = 'deduped' then
    return array[outrider.explain_suppressed(p_delivery.workspace_id, p_delivery.channel_id, p_delivery.delivery_id,
      coalesce(
        (outrider.latest_order(p_delivery, 'dedup_suppressed')).meta,
        -- Its event may be gone already.
        jsonb_strip_nulls(jsonb_build_object(
          'suppressed_by', p_delivery.render_meta #> '{similar,delivery_id}', 'score', p_delivery.render_meta #> '{similar,score}',
          'signs', p_delivery.render_meta #> '{similar,signs}', 'twin_status', 'sent'))))];
  elsif p_delivery.status not in ('sent', 'failed_permanent', 'dead') then
    return array[]::outrider.explanation[];
  end if;

  v_order := outrider.latest_order(p_delivery, 'manual_resolve');
  return array[outrider.say(
    case
      when p_delivery.status = 'sent' and v_order.ts is not null then 'sent_by_word'
      when p_delivery.status = 'sent' then 'sent'
      when p_delivery.status = 'dead' and p_delivery.outcome_unknown then 'dead_in_doubt'
      when p_delivery.status = 'dead' and v_error ->> 'message' like 'it was made to wait for %' then 'dead_after_waiting'
      when p_delivery.status = 'dead' then 'dead_after_attempts'
      when p_delivery.outcome_unknown then 'held'
      when p_delivery.attempt = 0 and v_error ->> 'code' = 'validation_failed' then 'failed_checks'
      when v_error ->> 'scope' = 'channel' then 'failed_for_channel'
      when v_error ->> 'code' in ('media_missing_origin', 'upload_failed') then 'failed_media'
      else 'failed_for_good'
    end,
    null,
    jsonb_build_object(
      'delivery_id', p_delivery.delivery_id, 'channel_id', p_delivery.channel_id, 'platform', p_title)
    || case when p_delivery.status = 'sent' then jsonb_build_object(
      'sent_at', outrider.time_in_words(p_delivery.sent_at), 'provider_message_id', p_delivery.provider_message_id,
      'operator', v_order.meta ->> 'operator', 'said', rtrim(v_order.meta ->> 'reason', '. '))
    else jsonb_build_object(
      'failed_at', outrider.time_in_words(p_delivery.failed_at), 'error', outrider.error_in_words(v_error),
      'remedy', outrider.remedy_of(v_error), 'attempt', p_delivery.attempt,
      'attempts', case p_delivery.attempt when 1 then '1 attempt' else p_delivery.attempt || ' attempts' end)
    end)];
end;
$$;
