-- What a delivery would wait for in a channel if it were queued now, as `deliveries show` says it (what_is_next).
--
-- p_weight: as how many messages its first call counts.
-- Returns: {because, at, reason?, ahead?}. For one that would be in line, `at` is its slot: by the pace of the channel
-- and of its group, behind the deliveries that are due before it (`ahead`, counted up to 10,000). It is null when
-- nothing keeps the delivery from going out at once.
create or replace function outrider.step_of_new(
  p_channel outrider.channels,
  p_not_before timestamptz,
  p_weight integer,
  p_now timestamptz
)
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_delivery outrider.deliveries;
  v_group outrider.platform_limits;
  v_step record;
  v_ahead integer;
  v_slot_at timestamptz;
begin
  v_delivery.workspace_id := p_channel.workspace_id;
  v_delivery.channel_id := p_channel.channel_id;
  v_delivery.status := 'queued';
  v_delivery.not_before := p_not_before;
  select l.* into v_group from outrider.platform_limits l
  where l.workspace_id = p_channel.workspace_id and l.platform = p_channel.platform and l.rate_group = p_channel.rate_group;

  select s.because, s.at, g.reason into v_step
  from outrider.workspaces w
  cross join lateral outrider.channel_gate(p_channel, v_group, p_now) g
  cross join lateral outrider.next_step(v_delivery, w.status, g.state, g.until, p_now) s
  where w.workspace_id = p_channel.workspace_id;
  if v_step.because <> 'in_line' then
    return jsonb_build_object('because', v_step.because, 'at', v_step.at) || jsonb_strip_nulls(jsonb_build_object(
      'reason', case when v_step.because like 'channel\_%' then v_step.reason end));
  end if;

  select count(*)::integer into v_ahead
  from (
    select from outrider.delivery_queue q
    where q.workspace_id = p_channel.workspace_id and q.channel_id = p_channel.channel_id
      and (q.available_at = '-infinity' or q.available_at <= p_now)
    limit 10000
  ) q;
  select greatest(
      outrider.channel_slot_at(p_channel.rate_rps, p.next_allowed_at, p_weight),
      v_group.next_allowed_at, p_now)
    + v_ahead * coalesce(outrider.slot_step(p_channel.rate_rps), interval '0')
  into v_slot_at
  from outrider.channel_pace p
  where p.workspace_id = p_channel.workspace_id and p.channel_id = p_channel.channel_id;
  return jsonb_build_object('because', 'in_line', 'at', case when v_slot_at > p_now then v_slot_at end, 'ahead', v_ahead);
end;
$$;
