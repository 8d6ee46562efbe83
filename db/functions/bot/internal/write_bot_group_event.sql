-- Writes one masked event about what the failure of a reply meant for its rate group.
create or replace function outrider.write_bot_group_event(
  p_reply outrider.bot_outbox,
  p_action outrider.event_action,
  p_error jsonb,
  p_meta jsonb,
  p_now timestamptz
)
  returns void
  language sql
  volatile
as $$
  insert into outrider.event_log (workspace_id, id, ts, action, attempt, result, error, meta)
  values (
    p_reply.workspace_id, gen_random_uuid(), p_now, p_action, 0, 'error', p_error,
    outrider.mask_json(jsonb_build_object(
      'trace_id', p_reply.trace_id, 'reply_id', p_reply.reply_id, 'platform', p_reply.provider, 'rate_group', p_reply.rate_group) || p_meta));
$$;
