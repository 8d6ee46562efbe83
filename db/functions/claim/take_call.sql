create or replace function outrider.take_call(
  p_workspace_id text,
  p_delivery_id uuid,
  p_claim_token uuid,
  p_messages integer,
  p_channel_slot timestamptz,
  p_group_slot timestamptz,
  p_now timestamptz default clock_timestamp()
)
  returns table (channel_slot timestamptz, group_slot timestamptz, wait_ms double precision)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_variable
declare
  v_send record;
  v_channel outrider.channels;
  v_pace outrider.channel_pace;
  v_group outrider.platform_limits;
  v_step interval;
  v_lead interval;
begin
  perform outrider.require_delivery('take_call', p_workspace_id, p_delivery_id);
  perform outrider.require_commit('take_call', p_claim_token, p_now);
  perform outrider.require_call('take_call', p_messages, p_channel_slot, p_group_slot);

  select c.channel_id, c.platform, c.rate_group, d.sending_started_at into v_send
  from outrider.deliveries d
  join outrider.channels c on c.workspace_id = d.workspace_id and c.channel_id = d.channel_id
  where d.workspace_id = p_workspace_id and d.delivery_id = p_delivery_id
    and d.status = 'sending' and d.claim_token = p_claim_token;
  if not found then
    return;
  end if;
  select g.* into v_group from outrider.platform_limits g
  where g.workspace_id = p_workspace_id and g.platform = v_send.platform and g.rate_group = v_send.rate_group
  for no key update;
  select c.* into v_channel from outrider.channels c
  where c.workspace_id = p_workspace_id and c.channel_id = v_send.channel_id
  for no key update;
  select p.* into v_pace from outrider.channel_pace p
  where p.workspace_id = p_workspace_id and p.channel_id = v_send.channel_id;

  channel_slot := p_channel_slot;
  if p_group_slot between
      greatest(v_send.sending_started_at, v_group.cooldown_until, case when p_messages > 0 then v_channel.cooldown_until end)
      and greatest(p_now, v_group.next_allowed_at, v_group.cooldown_until)
  then
    group_slot := p_group_slot;
  else
    v_step := outrider.slot_step(v_channel.rate_rps);
    v_lead := least(p_messages - 1, 1) * v_step;
    channel_slot := case
      when p_messages = 0 then null
      when p_channel_slot between greatest(v_send.sending_started_at, v_channel.cooldown_until) and v_pace.next_allowed_at
        then greatest(p_channel_slot, v_pace.quiet_until + v_lead)
      else greatest(
        p_now, v_channel.cooldown_until, case when v_step > interval '0' then v_pace.next_allowed_at + v_lead end)
    end;

    if channel_slot is null or channel_slot <= p_now
      or (channel_slot <= v_group.next_allowed_at
        and (v_pace.next_allowed_at <= p_now or coalesce(v_pace.next_allowed_at <= v_pace.quiet_until, true))
        and not exists (
          select from outrider.delivery_queue q
          where q.workspace_id = p_workspace_id and q.channel_id = v_channel.channel_id and q.claimed and q.weight > 0))
    then
      group_slot := greatest(p_now, v_group.next_allowed_at, v_group.cooldown_until);
      update outrider.platform_limits g
      set next_allowed_at = group_slot + greatest(p_messages, 1) * outrider.slot_step(g.rate_rps), updated_at = p_now
      where g.workspace_id = p_workspace_id and g.platform = v_group.platform and g.rate_group = v_group.rate_group
        and g.rate_rps > 0;
    end if;
    if v_step > interval '0' and p_messages > 0 then
      update outrider.channel_pace p
      set next_allowed_at = greatest(p.next_allowed_at, coalesce(group_slot, channel_slot) + p_messages * v_step - v_lead),
          quiet_until = greatest(coalesce(p.quiet_until, p_now), group_slot + p_messages * v_step - v_lead)
      where p.workspace_id = p_workspace_id and p.channel_id = v_channel.channel_id;
    end if;
  end if;

  wait_ms := ceil(greatest(0, extract(epoch from coalesce(group_slot, channel_slot) - p_now) * 1000))::double precision;
  return next;
end;
$$;

comment on function outrider.take_call is $doc$Lets a sender make one more call for a delivery that it holds. The claim took the slots of the first call of a send.
Every further call that the platform counts (an upload, the next part, a look into the chat) takes slots of its own,
from the same budget as claims do (allot_slots): first of the channel, if the call shows messages there, then of the
group.

Call it first without slots. When the wait is over, call it again with the slots of the last answer, until the wait is
0: then the call may be made. A cooldown that began meanwhile makes the slots before its end void. A slot that was never
given is void too: one before the send began, or after the last of its channel or group. The wait is a span and not a
time, because clocks differ.
p_messages: how many messages the call shows in the chat, as the platform counts them. A call that shows none counts as
one for the group.
Concurrency: locks the group, then the channel.
Returns: one row; none when the claim is stale.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.take_call to outrider_worker;
