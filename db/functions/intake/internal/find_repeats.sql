-- Finds the channels in which a message that was seen before would be a repeat: it is in flight there, or was
-- sent within the channel's dedup window.
--
-- Returns: the channels in their order, with the number of the next occurrence. Where the message would be suppressed,
-- `twin` is the delivery that it repeats, and `until` is the end of the dedup window (null while the twin is in flight).
create or replace function outrider.find_repeats(p_message outrider.messages, p_channels outrider.judged_channel[], p_now timestamptz)
  returns outrider.judged_channel[]
  language plpgsql
  stable
as $$
begin
  return array(
    select row(
      u.channel_id, u.rule,
      case when last.in_flight then last.delivery_id else sent.delivery_id end,
      case when last.in_flight then last.status else 'sent' end,
      case when not last.in_flight then sent.until end,
      coalesce(last.occurrence, 0) + 1, u.profile, u.not_before, null, null
    )::outrider.judged_channel
    from unnest(p_channels) with ordinality as u (channel_id, rule, twin, twin_status, until, occurrence, profile, not_before, score, signs, n)
    left join lateral (
      select d.delivery_id, d.status, d.occurrence, d.status in ('queued', 'claimed', 'sending', 'retry') as in_flight
      from outrider.deliveries d
      where u.rule is null
        and d.workspace_id = p_message.workspace_id and d.message_id = p_message.message_id and d.channel_id = u.channel_id
        and d.occurrence is not null
      order by d.occurrence desc
      limit 1
    ) last on true
    left join lateral (
      select d.delivery_id, w.until
      from outrider.channels c
      cross join lateral (select make_interval(hours => coalesce(c.dedup_ttl_hours, 168)) as ttl) t
      join outrider.deliveries d
        on d.workspace_id = c.workspace_id and d.message_id = p_message.message_id and d.channel_id = c.channel_id
      cross join lateral (select d.sent_at + t.ttl as until) w
      where not last.in_flight
        and c.workspace_id = p_message.workspace_id and c.channel_id = u.channel_id
        and d.occurrence is not null and d.sent_at >= p_now - t.ttl
      order by d.occurrence desc
      limit 1
    ) sent on true
    order by u.n
  );
end;
$$;
