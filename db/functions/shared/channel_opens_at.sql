-- When the pause, the cooldown and the closed posting window of a channel are over; '-infinity' when it has none of
-- them.
create or replace function outrider.channel_opens_at(p_channel outrider.channels)
  returns timestamptz
  language sql
  immutable
  parallel safe
return coalesce(
    greatest(p_channel.paused_until, p_channel.cooldown_until, p_channel.closed_until), '-infinity'
  );
