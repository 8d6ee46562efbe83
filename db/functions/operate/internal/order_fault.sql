-- Why an order cannot be carried out on a channel, in words; null when it can. An all-null channel is an unknown one.
-- p_of_group: the order is to the channel's rate group; enabling a group also ends pauses and error streaks.
create or replace function outrider.order_fault(
  p_order text,
  p_channel outrider.channels,
  p_of_group boolean,
  p_now timestamptz
)
  returns text
  language sql
  immutable
as $$
  select case
    when p_channel.channel_id is null then 'there is no such channel in this workspace'
    when p_order = 'pause' and not p_channel.enabled then 'it is disabled, which is more than paused'
    when p_order = 'disable' and not p_channel.enabled then 'it is disabled already'
    when p_order = 'resume' and not p_channel.enabled then 'it is disabled; enable it instead'
    when p_order = 'resume' and coalesce(p_channel.paused_until, '-infinity') <= p_now and p_channel.error_streak = 0
      then 'it is not paused'
    when p_order = 'enable' and p_of_group and (p_channel.paused_until > p_now or p_channel.error_streak > 0) then null
    when p_order = 'enable' and p_channel.enabled and p_channel.paused_until > p_now
      then 'it is enabled, and paused; resume it instead'
    when p_order = 'enable' and p_channel.enabled then 'it is enabled already'
  end;
$$;
