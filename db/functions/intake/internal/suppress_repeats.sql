-- Suppresses a message that was seen before in the channels in which it is a repeat (find_repeats).
--
-- Concurrency: the message is locked by the caller. Its failed deliveries are locked here, so that a requeue of one of
-- them comes before this enqueue or after it (lock_predecessors).
create or replace function outrider.suppress_repeats(p_message outrider.messages, p_channels outrider.judged_channel[], p_now timestamptz)
  returns outrider.judged_channel[]
  language plpgsql
  volatile
as $$
begin
  perform outrider.lock_predecessors(p_message.workspace_id, p_message.message_id);
  return outrider.find_repeats(p_message, p_channels, p_now);
end;
$$;
