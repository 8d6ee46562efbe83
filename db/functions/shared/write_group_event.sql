-- Writes one masked event about a rate group as a whole, not about one of its channels.
create or replace function outrider.write_group_event(
  p_group outrider.platform_limits,
  p_action outrider.event_action,
  p_meta jsonb,
  p_now timestamptz
)
  returns void
  language sql
  volatile
as $$
  insert into outrider.event_log (workspace_id, id, ts, action, attempt, result, meta)
  values (
    p_group.workspace_id, gen_random_uuid(), p_now, p_action, 0, 'ok',
    outrider.mask_json(jsonb_build_object('platform', p_group.platform, 'rate_group', p_group.rate_group) || p_meta));
$$;
