-- Writes one masked event about a delivery. p_error is an error as normal_error returns it. p_meta is written without
-- its nulls; its payload_ref goes into the event's own column.
create or replace function outrider.write_delivery_event(
  p_delivery outrider.deliveries,
  p_action outrider.event_action,
  p_error jsonb,
  p_meta jsonb,
  p_now timestamptz
)
  returns void
  language sql
  volatile
as $$
  insert into outrider.event_log
    (workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, result, error, payload_ref, meta)
  values (
    p_delivery.workspace_id, gen_random_uuid(), p_delivery.delivery_id, p_delivery.message_id, p_delivery.channel_id,
    p_now, p_action, p_delivery.attempt, case when p_error is null then 'ok' else 'error' end::outrider.event_result,
    p_error, p_meta ->> 'payload_ref',
    outrider.mask_json(jsonb_strip_nulls(jsonb_build_object('trace_id', p_delivery.trace_id) || p_meta - 'payload_ref'))
  );
$$;
