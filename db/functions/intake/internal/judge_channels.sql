-- Says for each channel of a workspace whether a message becomes a delivery there, and when: a channel may be disabled,
-- its route filter may keep the message out, or it takes text only and leaves media out, and the message has nothing else.
--
-- p_wanted: the earliest time for a delivery.
-- Returns: `channels` in the order of channel_id; `rule` is set where the message is not routed. Channels of one
-- profile compose a post alike; element n of `profiles` has one channel of profile n. `compares`: some channel wants to
-- know whether the message is nearly the same as another (suppress_similar).
create or replace function outrider.judge_channels(
  p_message outrider.messages,
  p_wanted timestamptz,
  out channels outrider.judged_channel[],
  out profiles outrider.profile[],
  out compares boolean
)
  language plpgsql
  stable
as $$
begin
  select
    array_agg(
      row(c.channel_id, c.rule, null, null, null, 1, c.profile, c.not_before, null, null)::outrider.judged_channel
      order by c.channel_id),
    -- Read for one channel of each profile only, not carried through the sort with all of them.
    array_agg((
      select row(x, p)::outrider.profile
      from outrider.channels x
      join outrider.platforms p on p.platform = x.platform
      where x.ctid = c.tid
    ) order by c.profile) filter (where c.is_first),
    bool_or(c.settings ? 'similar')
  into channels, profiles, compares
  from (
    select
      x.ctid as tid, x.channel_id, x.settings, dense_rank() over alike as profile,
      row_number() over alike = rank() over alike as is_first,
      case
        when not x.enabled then 'disabled'
        else coalesce(
          outrider.excluding_rule(p_message.tags, x.route_filter),
          case when x.send_mode = 'text' and x.settings ->> 'on_media' = 'leave_out'
            and not p_message.payload ?| '{text,title,links}' then 'text_only' end)
      end as rule,
      case when x.window_mode = 'immediate' then p_wanted else outrider.next_opening(x, p_wanted) end as not_before
    from outrider.channels x
    where x.workspace_id = p_message.workspace_id
    window alike as (order by x.platform, x.template_ref, x.send_mode, x.settings)
  ) c;
end;
$$;
