-- When a channel's own gates are open: its pause, its cooldown and its closed posting window have
-- passed. '-infinity' when none stands.
create or replace function outrider.channel_opens_at(p_channel outrider.channels)
  returns timestamptz
  language sql
  immutable
  parallel safe
return coalesce(
    greatest(p_channel.paused_until, p_channel.cooldown_until, p_channel.closed_until), '-infinity'
  );
