-- Everything that keeps a channel from sending now; no row when nothing does.
--
-- The posting window is judged at p_now, because closed_until holds only what a claim has noted; and when the other gates
-- will have opened, because it may be closed by then: `until` of its gate is when the channel can send.
-- Returns: `place` counts from 1; the gate that opens last comes first. `state` is paused, cooling_down, resting or
-- probing (its rate group is, see group_state), closed (outside its posting window), credential_refused or disabled.
-- `until` is null when only a person or a probe can change the state. `of_group` says that the gate is that of the rate
-- group. `reason` says in words why the channel or its group was stopped; a channel keeps
-- one reason, so that of a disabled channel says why it is disabled, and not why it was paused before.
create or replace function outrider.channel_gates(
  p_channel outrider.channels,
  p_group outrider.platform_limits,
  p_now timestamptz
)
  returns table (place bigint, state text, until timestamptz, of_group boolean, reason text)
  language sql
  stable
  parallel safe
as $$
  select row_number() over (order by x.until desc, x.rank), x.state, case when isfinite(x.until) then x.until end, x.of_group, case
    -- A closed group says why it is closed, not why it rests or cools down as well.
    when x.of_group and (x.state = 'credential_refused' or p_group.closed_at is null) then g.reason
    when x.state = 'disabled' or x.state = 'paused' and p_channel.enabled then outrider.stop_in_words(p_channel.stopped_because)
  end
  from outrider.group_state(p_group, p_now) g
  cross join lateral (
    select greatest(p_now, case when isfinite(p_channel.paused_until) then p_channel.paused_until end,
      p_channel.cooldown_until, p_group.cooldown_until, p_group.resting_until) as last
  ) others
  cross join lateral (
    select case when p_channel.window_mode = 'windowed' then greatest(
      p_channel.closed_until,
      outrider.window_opening(p_channel.posting_window, p_channel.timezone, p_now),
      case when others.last > p_now then nullif(
        outrider.window_opening(p_channel.posting_window, p_channel.timezone, others.last), others.last) end
    ) end as opening
  ) w
  cross join lateral (values
    (1, 'disabled', not p_channel.enabled, timestamptz 'infinity', false),
    (2, 'credential_refused', p_group.closed_at is not null, 'infinity', true),
    (3, 'paused', p_channel.paused_until > p_now, p_channel.paused_until, false),
    (4, 'resting', p_group.resting_until > p_now, p_group.resting_until, true),
    (5, 'cooling_down', p_group.cooldown_until > p_now, p_group.cooldown_until, true),
    (6, 'cooling_down', p_channel.cooldown_until > p_now, p_channel.cooldown_until, false),
    (7, 'closed', w.opening > p_now, w.opening, false),
    (8, 'probing', g.state = 'probing', '-infinity', true)
  ) as x (rank, state, stands, until, of_group)
  where x.stands
  order by 1;
$$;
