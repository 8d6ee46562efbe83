-- Whether a channel sends now, and if not, what keeps it: of several gates the one that opens last.
--
-- The posting window is judged for p_now; closed_until knows only what a claim has noted.
-- Returns: `state` is open, paused, cooling_down, closed (outside its posting window) or disabled; `until` is
-- null when it is open, and when only a person will change it.
create or replace function outrider.channel_gate(
  p_channel outrider.channels,
  p_group_cooldown_until timestamptz,
  p_now timestamptz,
  out state text,
  out until timestamptz
)
  language sql
  stable
  parallel safe
  set search_path = outrider, pg_temp
as $$
  select
    case when p_channel.enabled then coalesce(g.state, 'open') else 'disabled' end,
    case when p_channel.enabled and g.until < 'infinity' then g.until end
  from (values (p_now)) as at (now)
  left join lateral (
    select x.state, x.until
    from (values
      ('paused', p_channel.paused_until),
      ('cooling_down', greatest(p_channel.cooldown_until, p_group_cooldown_until)),
      ('closed', case when p_channel.window_mode = 'windowed' then greatest(
        p_channel.closed_until, outrider.window_opening(p_channel.posting_window, p_channel.timezone, p_now)) end)
    ) as x (state, until)
    where x.until > at.now
    order by x.until desc, x.state desc
    limit 1
  ) g on true;
$$;
