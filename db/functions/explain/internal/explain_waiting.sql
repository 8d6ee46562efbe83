-- Why a delivery that waits is not sent now: the gate or the time that opens last comes first (next_step), then
-- everything else that would keep it.
--
-- Returns: an empty list for a delivery that has ended.
create or replace function outrider.explain_waiting(
  p_delivery outrider.deliveries,
  p_channel outrider.channels,
  p_group outrider.platform_limits,
  p_title text,
  p_now timestamptz
)
  returns outrider.explanation[]
  language plpgsql
  stable
as $$
declare
  v_status constant outrider.workspace_status :=
    (select w.status from outrider.workspaces w where w.workspace_id = p_delivery.workspace_id);
  v_gate record;
  v_step record;
  v_gates outrider.explanation[];
  v_own outrider.explanation[];
begin
  v_gate := outrider.channel_gate(p_channel, p_group, p_now);
  v_step := outrider.next_step(p_delivery, v_status, v_gate.state, v_gate.until, p_now);
  if v_step.because is null then
    return array[]::outrider.explanation[];
  elsif v_step.because = 'being_sent' then
    return array[outrider.say(
      case when v_step.at >= p_now then 'being_sent' else 'sender_silent' end, v_step.at,
      jsonb_build_object('delivery_id', p_delivery.delivery_id, 'channel_id', p_delivery.channel_id,
        'attempt', p_delivery.attempt, 'attempt_limit', p_delivery.attempt_limit,
        'since', outrider.time_in_words(p_delivery.sending_started_at)))];
  elsif v_step.because = 'in_line' then
    return outrider.explain_line(p_delivery, p_channel, p_group, p_now);
  end if;

  v_gates := array(
    select outrider.explain_gate(p_channel, p_group, p_title, g.state, g.until, g.of_group, g.reason)
    from outrider.channel_gates(p_channel, p_group, p_now) g
    -- The order that enables a disabled channel ends its pause, and no other order does.
    where p_channel.enabled or g.state <> 'paused'
    order by g.place);
  v_own := outrider.explain_due_time(p_delivery, p_channel, p_group, p_title, p_now);
  return case
    when v_step.because like 'workspace\_%' then
      array[outrider.say(v_step.because, null, jsonb_build_object('workspace_id', p_delivery.workspace_id))] || v_gates || v_own
    -- What is due while the window is closed waits for its opening: that is said already.
    when v_step.because like 'channel\_%' and p_delivery.status = 'queued'
      and (p_delivery.scheduled_for is null or p_delivery.scheduled_for < p_delivery.not_before) then v_gates
    when v_step.because like 'channel\_%' then v_gates || v_own
    else v_own || v_gates
  end;
end;
$$;
