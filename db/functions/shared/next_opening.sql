-- The first time from p_wanted on at which a channel's posting window is open. It is p_wanted itself if the window
-- never opens: the claim keeps such a channel closed until its window is changed.
create or replace function outrider.next_opening(p_channel outrider.channels, p_wanted timestamptz)
  returns timestamptz
  language sql
  stable
  parallel safe
as $$
  select case when x.opens = 'infinity' then p_wanted else x.opens end
  from (select outrider.window_opening(p_channel.posting_window, p_channel.timezone, p_wanted) as opens) x;
$$;
