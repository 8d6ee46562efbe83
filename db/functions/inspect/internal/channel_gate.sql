-- Whether a channel sends now, and if not, what keeps it from sending: of several gates, the one that opens last.
--
-- Returns: as channel_gates, or `state` open with nothing else.
create or replace function outrider.channel_gate(
  p_channel outrider.channels,
  p_group outrider.platform_limits,
  p_now timestamptz,
  out state text,
  out until timestamptz,
  out reason text
)
  language sql
  stable
  parallel safe
as $$
  select coalesce(g.state, 'open'), g.until, g.reason
  from (values (1)) as one (place)
  left join outrider.channel_gates(p_channel, p_group, p_now) g on g.place = one.place;
$$;
