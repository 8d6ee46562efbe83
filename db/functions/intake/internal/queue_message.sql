-- Makes the deliveries of a kept message: one for each channel that takes it and did not get it within its
-- dedup window.
--
-- A post that its platform would refuse becomes a delivery that has failed already, with the reason; it is
-- never tried. A suppressed repeat leaves an event, and a row if the workspace keeps such rows.
-- p_claimer: a sender that takes at once what claim_deliveries would give it next: deliveries whose channel is open,
-- has room and a slot that is due, and in whose channel nothing waits before them. Null: everything waits in the queue.
-- A message that was seen before always waits there: it may have to wait for its predecessors, and must hold no channel
-- meanwhile.
-- Where a channel asks for it, a message that is nearly the same as one that it has is suppressed too (suppress_similar).
-- Concurrency: the caller has locked the message and its media, so that nobody else makes deliveries of it. With a
-- claimer, channels and groups are locked as hold_startable says.
-- Returns: `verdict` {run_id, verdict: "accepted", message_id, trace_id, seen, channels: [the verdict on each]};
-- `counts` of channels, as run_stats takes them; and `claimed`, a list of what claim_deliveries answers with, or null.
create or replace function outrider.queue_message(
  p_settings outrider.intake_settings,
  p_run_id text,
  p_message outrider.messages,
  p_trace_id text,
  p_scheduled_for timestamptz,
  p_claimer text,
  p_now timestamptz,
  out verdict json,
  out counts integer[],
  out claimed json
)
  language plpgsql
  volatile
as $$
declare
  v_is_known constant boolean := p_message.first_ingest_run_id is distinct from p_run_id;
  v_judged record;
  v_startable outrider.startable_channel[];
  v_made record;
begin
  v_judged := outrider.judge_channels(p_message, greatest(p_now, p_scheduled_for));
  if v_is_known then
    v_judged.channels := outrider.suppress_repeats(p_message, v_judged.channels, p_now);
  end if;
  if v_judged.compares then
    v_judged.channels := outrider.suppress_similar(p_message, v_judged.channels, v_judged.profiles, p_now);
  end if;
  if p_claimer is not null and not v_is_known then
    v_startable := outrider.hold_startable(p_message.workspace_id, v_judged.channels, p_now);
  end if;
  v_made := outrider.make_deliveries(p_settings, p_run_id, p_message, p_trace_id, p_scheduled_for, v_judged.channels,
    outrider.compose_for_profiles(p_message, v_judged.channels, v_judged.profiles), p_claimer, v_startable, p_now);
  if v_made.paced is not null then
    perform outrider.move_pace_on(p_message.workspace_id, v_made.paced, p_now);
  end if;
  verdict := json_build_object('run_id', p_run_id, 'verdict', 'accepted', 'message_id', p_message.message_id,
    'trace_id', p_trace_id, 'seen', case when v_is_known then 'before' else 'first' end,
    'channels', coalesce(v_made.verdicts, '[]'));
  counts := v_made.counts;
  claimed := v_made.claimed;
end;
$$;
