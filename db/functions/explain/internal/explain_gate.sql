-- One gate of a channel (channel_gates) as an explanation.
--
-- p_title: how people write the platform.
create or replace function outrider.explain_gate(
  p_channel outrider.channels,
  p_group outrider.platform_limits,
  p_title text,
  p_state text,
  p_until timestamptz,
  p_of_group boolean,
  p_reason text
)
  returns outrider.explanation
  language plpgsql
  stable
as $$
declare
  v_reason constant text := rtrim(p_reason, '. ');
  v_is_refused constant boolean := coalesce(p_channel.stopped_because ? 'code', false);
begin
  return outrider.say(
    case
      when p_state = 'paused' and v_is_refused then 'channel_paused_after_refusal'
      when p_state = 'paused' and p_until is null then 'channel_paused_for_good'
      when p_state = 'disabled' and v_is_refused then 'channel_disabled_after_refusals'
      when p_state in ('paused', 'disabled') then 'channel_' || p_state
      when p_state = 'cooling_down' and not p_of_group then 'channel_cooling_down'
      when p_state in ('cooling_down', 'resting', 'probing') then 'group_' || p_state
      when p_state = 'closed' and p_until is null then 'window_never_opens'
      when p_state = 'closed' then 'window_closed'
      else p_state
    end,
    p_until,
    jsonb_build_object('channel_id', p_channel.channel_id, 'platform', p_title)
    || case
      when p_state = 'credential_refused' then jsonb_build_object(
        'rate_group', p_channel.rate_group, 'auth_ref', p_group.closed_auth_ref, 'secret', (
          select format(' (%s)', b.secret_ref) from outrider.credential_bindings b
          where b.workspace_id = p_group.workspace_id and b.auth_ref = p_group.closed_auth_ref))
      when p_of_group then jsonb_build_object('rate_group', p_channel.rate_group, 'why', case
        when p_state = 'cooling_down' then ': ' || v_reason
        else coalesce(v_reason, 'several of its channels in a row found it so') end)
      when p_state in ('paused', 'disabled') and v_is_refused then jsonb_build_object(
        'error', outrider.error_in_words(p_channel.stopped_because),
        'remedy', outrider.remedy_of(p_channel.stopped_because || '{"scope": "channel"}'))
      when p_state in ('paused', 'disabled') then jsonb_build_object('why', ' ' || v_reason)
      when p_state = 'closed' then jsonb_build_object('timezone', p_channel.timezone)
      else '{}'
    end
  );
end;
$$;
