-- Why a channel does not send, beyond its state: {operator, reason} or {code, message} of what stopped it, or
-- {rate_group, code, message} when its whole rate group waits. Null when nobody said.
create or replace function outrider.channel_cause(
  p_channel outrider.channels,
  p_state text,
  p_group_cooldown_until timestamptz,
  p_group_error jsonb
)
  returns jsonb
  language sql
  immutable
  set search_path = outrider, pg_temp
as $$
  select case
    when p_state in ('paused', 'disabled') then p_channel.stopped_because
    when p_state = 'cooling_down' and p_group_cooldown_until >= coalesce(p_channel.cooldown_until, '-infinity')
      then jsonb_strip_nulls(jsonb_build_object(
        'rate_group', p_channel.rate_group, 'code', p_group_error -> 'code', 'message', p_group_error -> 'message'))
  end;
$$;
