-- Writes one masked event that somebody ordered: about a channel, or about the workspace when p_channel_id is null. The
-- operator is the acting login and the reason is `apply`, unless p_meta has others.
create or replace function outrider.write_channel_event(
  p_workspace_id text,
  p_channel_id text,
  p_action outrider.event_action,
  p_meta jsonb,
  p_now timestamptz
)
  returns void
  language sql
  volatile
as $$
  insert into outrider.event_log (workspace_id, id, channel_id, ts, action, attempt, result, meta)
  values (
    p_workspace_id, gen_random_uuid(), p_channel_id, p_now, p_action, 0, 'ok',
    outrider.mask_json(jsonb_build_object('operator', outrider.acting_login(), 'reason', 'apply', 'manual', true) || p_meta));
$$;
