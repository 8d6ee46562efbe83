-- Makes a rate group wait because its platform asked for it, or refused it as a whole. A group that was given no time waits
-- for group_cooldown at least.
--
-- p_delay: how long what failed waits itself (judge_failure).
-- Concurrency: the group is locked by the caller.
-- Returns: until when.
create or replace function outrider.cool_group_down(
  p_workspace_id text,
  p_platform text,
  p_rate_group text,
  p_error jsonb,
  p_settings outrider.workspace_settings,
  p_delay interval,
  p_now timestamptz
)
  returns timestamptz
  language plpgsql
  volatile
as $$
declare
  v_until constant timestamptz := p_now + case
    when p_error ? 'retry_after_ms' then p_delay
    when p_error ->> 'category' = 'PERMANENT' then p_settings.group_cooldown
    else greatest(p_delay, p_settings.group_cooldown)
  end;
begin
  update outrider.platform_limits g
  set cooldown_until = greatest(g.cooldown_until, v_until), next_allowed_at = greatest(g.next_allowed_at, v_until),
      last_error = case when g.closed_at is null then p_error else g.last_error end, updated_at = p_now
  where g.workspace_id = p_workspace_id and g.platform = p_platform and g.rate_group = p_rate_group;
  return v_until;
end;
$$;
