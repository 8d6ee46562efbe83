-- Writes one event about what a delivery's failure meant for its channel or its rate group; masked. The event belongs
-- to the channel and the message, not to the delivery: the delivery and its attempt stand in the meta. So the events of
-- a channel are found without those of its deliveries (event_log_of_channel_idx). The delivery's timeline finds the
-- event all the same.
create or replace function outrider.write_penalty_event(
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
  insert into outrider.event_log (workspace_id, id, message_id, channel_id, ts, action, attempt, result, error, meta)
  values (
    p_delivery.workspace_id, gen_random_uuid(), p_delivery.message_id, p_delivery.channel_id, p_now, p_action, 0, 'error',
    p_error,
    outrider.mask_json(jsonb_build_object(
      'trace_id', p_delivery.trace_id, 'delivery_id', p_delivery.delivery_id, 'attempt', p_delivery.attempt) || p_meta)
  );
$$;
