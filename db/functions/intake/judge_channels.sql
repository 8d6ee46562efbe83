-- Says for each channel of a workspace whether a message becomes a delivery there, and if not, what stands
-- in the way: the channel is disabled, its route filter, the same message in flight, or the same message
-- sent within the channel's dedup window.
--
-- p_known: the message was seen before; only then can it have deliveries already. p_wanted: the earliest
-- time for a delivery.
-- Returns: parallel lists in the order of channel_id. `rules` is set where the message is not routed,
-- `twins` where it is suppressed (`untils` is when the window ends, null while the twin is in flight).
-- Channels of one profile compose a post alike; `profile_channels` has for each profile, by its number, one
-- channel that takes the message, or null.
create or replace function outrider.judge_channels(
  p_message outrider.messages,
  p_known boolean,
  p_wanted timestamptz,
  p_now timestamptz,
  out channels text[],
  out rules text[],
  out twins uuid[],
  out twin_statuses outrider.delivery_status[],
  out untils timestamptz[],
  out occurrences integer[],
  out profiles integer[],
  out profile_channels text[],
  out not_befores timestamptz[]
)
  language plpgsql
  stable
as $$
begin
  select
    array_agg(j.channel_id), array_agg(j.rule), array_agg(j.twin), array_agg(j.twin_status), array_agg(j.until),
    array_agg(j.occurrence), array_agg(j.profile), array_agg(j.not_before)
  into channels, rules, twins, twin_statuses, untils, occurrences, profiles, not_befores
  from (
    select
      c.channel_id, r.rule,
      case when last.in_flight then last.delivery_id else sent.delivery_id end as twin,
      case when last.in_flight then last.status else 'sent' end as twin_status,
      case when not last.in_flight then sent.until end as until,
      coalesce(last.occurrence, 0) + 1 as occurrence,
      (dense_rank() over (order by c.platform, c.template_ref, c.send_mode, c.settings))::integer as profile,
      case when c.window_mode = 'immediate' then p_wanted else outrider.next_opening(c, p_wanted) end as not_before
    from outrider.channels c
    cross join lateral (
      select case when c.enabled then outrider.why_not_routed(p_message.tags, c.route_filter) else 'disabled' end as rule
    ) r
    left join lateral (
      select d.delivery_id, d.status, d.occurrence, d.status in ('queued', 'claimed', 'sending', 'retry') as in_flight
      from outrider.deliveries d
      where p_known and r.rule is null
        and d.workspace_id = p_message.workspace_id and d.message_id = p_message.message_id and d.channel_id = c.channel_id
        and d.occurrence is not null
      order by d.occurrence desc
      limit 1
    ) last on true
    left join lateral (
      select d.delivery_id, d.sent_at + make_interval(hours => coalesce(c.dedup_ttl_hours, 168)) as until
      from outrider.deliveries d
      where not last.in_flight
        and d.workspace_id = p_message.workspace_id and d.message_id = p_message.message_id and d.channel_id = c.channel_id
        and d.occurrence is not null
        and d.sent_at >= p_now - make_interval(hours => coalesce(c.dedup_ttl_hours, 168))
      order by d.occurrence desc
      limit 1
    ) sent on true
    where c.workspace_id = p_message.workspace_id
    order by c.channel_id
  ) j;
  profile_channels := array(
    select min(u.channel_id) filter (where u.rule is null and u.twin is null)
    from unnest(channels, rules, twins, profiles) as u (channel_id, rule, twin, profile)
    group by u.profile
    order by u.profile
  );
end;
$$;
