-- Why a delivery that is due, in a channel that is open, is not being sent: who goes first, and what the channel and its
-- group lack. The main reason comes first.
--
-- `until` of behind_others is when its turn comes if everybody before it is sent at the pace of the channel.
create or replace function outrider.explain_line(
  p_delivery outrider.deliveries,
  p_channel outrider.channels,
  p_group outrider.platform_limits,
  p_now timestamptz
)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
declare
  v_ahead constant bigint := outrider.count_ahead(p_delivery);
  v_step constant interval := outrider.slot_step(p_channel.rate_rps);
  v_facts constant jsonb := jsonb_build_object(
    'delivery_id', p_delivery.delivery_id, 'channel_id', p_delivery.channel_id, 'rate_group', p_channel.rate_group);
  v_open bigint;
  v_slot timestamptz;
  v_group_slot constant timestamptz := coalesce(p_group.next_allowed_at, '-infinity');
  v_said outrider.explanation[] := array[]::outrider.explanation[];
begin
  select coalesce(sum(l.open_count), 0) into v_open from outrider.leases l
  where l.workspace_id = p_delivery.workspace_id and l.channel_id = p_delivery.channel_id;
  select coalesce(outrider.channel_slot_at(p_channel.rate_rps, p.next_allowed_at, 1), '-infinity') into v_slot
  from outrider.channel_pace p
  where p.workspace_id = p_delivery.workspace_id and p.channel_id = p_delivery.channel_id;

  if v_open = 0 and greatest(v_slot, v_group_slot) <= p_now and not exists (
    select from outrider.service_heartbeats h
    where h.roles && array['dispatch', 'adapters'] and h.seen_at > p_now - interval '30 seconds'
  ) then
    v_said := v_said || outrider.say('no_dispatcher', null, v_facts);
  end if;
  if v_ahead > 0 then
    v_said := v_said || outrider.say(
      'behind_others',
      case when v_step > interval '0' then greatest(v_slot, p_now) + v_ahead * v_step end,
      v_facts || jsonb_build_object('ahead', v_ahead, 'others', case
        when v_ahead = 1 then '1 other delivery goes'
        when v_ahead = 10000 then 'at least 10,000 other deliveries go'
        else format('%s other deliveries go', v_ahead) end));
  end if;
  if v_open >= p_channel.max_parallel then
    v_said := v_said || outrider.say('parallel_limit', null,
      v_facts || jsonb_build_object('open', v_open, 'max_parallel', p_channel.max_parallel));
  end if;
  if v_slot > p_now then
    v_said := v_said || outrider.say('channel_pace', v_slot,
      v_facts || jsonb_build_object('pace', outrider.pace_in_words(p_channel.rate_rps)));
  end if;
  if v_group_slot > p_now and p_group.rate_rps > 0 then
    v_said := v_said || outrider.say('group_pace', v_group_slot,
      v_facts || jsonb_build_object('pace', outrider.pace_in_words(p_group.rate_rps)));
  end if;
  if cardinality(v_said) = 0 then
    v_said := v_said || outrider.say('next_in_line', null, v_facts);
  end if;
  return v_said;
end;
$$;
