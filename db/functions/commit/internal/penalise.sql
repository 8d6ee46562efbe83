-- Applies a failure to the channel and the rate group of its delivery.
--
-- Scope delivery: nothing. Scope channel: a permanent failure pauses the channel and adds to its error streak, and at
-- disable_after_permanent_streak the channel is disabled; a rate limit makes the channel wait. Scope platform: a
-- refusal or a rate limit cools the whole rate group down (is_group_cooldown). A refused credential closes the group.
-- A channel or group waits as long as the delivery itself (p_delay, of judge_failure). A group that was given no time
-- waits for group_cooldown at least.
-- Concurrency: the rows are locked by the caller (lock_for_commit).
create or replace function outrider.penalise(
  p_delivery outrider.deliveries,
  p_error jsonb,
  p_settings outrider.workspace_settings,
  p_delay interval,
  p_now timestamptz
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_channel outrider.channels;
  v_disabled boolean;
  v_until timestamptz;
begin
  if outrider.is_credential_refused(p_error) then
    perform outrider.close_group(p_delivery, p_error, p_now);

  elsif p_error ->> 'scope' = 'channel' and p_error ->> 'category' = 'PERMANENT' then
    select c.* into v_channel from outrider.channels c
    where c.workspace_id = p_delivery.workspace_id and c.channel_id = p_delivery.channel_id;
    v_disabled := v_channel.enabled and v_channel.error_streak + 1 >= p_settings.disable_after_permanent_streak;

    update outrider.channels c
    set error_streak = c.error_streak + 1,
        paused_until = greatest(c.paused_until, p_now + p_settings.pause_on_permanent_for),
        enabled = c.enabled and not v_disabled,
        stopped_because = jsonb_strip_nulls(jsonb_build_object('code', p_error -> 'code', 'message', p_error -> 'message')),
        updated_at = p_now
    where c.workspace_id = p_delivery.workspace_id and c.channel_id = p_delivery.channel_id
    returning c.* into v_channel;

    perform outrider.write_penalty_event(p_delivery, 'channel_paused', p_error,
      jsonb_build_object('error_streak', v_channel.error_streak, 'paused_until', v_channel.paused_until), p_now);
    if v_disabled then
      perform outrider.write_penalty_event(p_delivery, 'channel_disabled', p_error,
        jsonb_build_object('error_streak', v_channel.error_streak), p_now);
    end if;

  elsif p_error ->> 'scope' = 'channel' and (p_error ? 'retry_after_ms' or outrider.is_wait(p_error)) then
    update outrider.channels c
    set cooldown_until = greatest(c.cooldown_until, p_now + p_delay), updated_at = p_now
    where c.workspace_id = p_delivery.workspace_id and c.channel_id = p_delivery.channel_id;
    update outrider.channel_pace p
    set next_allowed_at = greatest(p.next_allowed_at, p_now + p_delay)
    where p.workspace_id = p_delivery.workspace_id and p.channel_id = p_delivery.channel_id;

  elsif outrider.is_group_cooldown(p_error) then
    select c.* into v_channel from outrider.channels c
    where c.workspace_id = p_delivery.workspace_id and c.channel_id = p_delivery.channel_id;
    v_until := outrider.cool_group_down(
      p_delivery.workspace_id, v_channel.platform, v_channel.rate_group, p_error, p_settings, p_delay, p_now);
    perform outrider.write_penalty_event(p_delivery, 'group_cooled_down', p_error,
      jsonb_build_object('platform', v_channel.platform, 'rate_group', v_channel.rate_group, 'cooldown_until', v_until), p_now);
  end if;
end;
$$;
