-- Suppresses a message in the channels in which it is nearly the same as one that they have (find_similar), and notes by
-- what later messages can be told to be nearly the same as this one.
--
-- Concurrency: locks the workspace until the transaction ends, so that two such messages at the same instant come one
-- after the other. Locks of messages and media come before it; nothing is waited for afterwards.
create or replace function outrider.suppress_similar(
  p_message outrider.messages,
  p_channels outrider.judged_channel[],
  p_profiles outrider.profile[],
  p_now timestamptz
)
  returns outrider.judged_channel[]
  language plpgsql
  volatile
as $$
declare
  v_hours constant integer := outrider.similar_hours(p_channels, p_profiles);
  v_trace outrider.message_traces;
  v_channels outrider.judged_channel[];
begin
  if v_hours is null then
    return p_channels;
  end if;
  v_trace := outrider.trace_of(p_message);
  if v_trace.keys = '{}' then
    return p_channels;
  end if;
  perform from outrider.workspaces w where w.workspace_id = p_message.workspace_id for no key update;
  v_channels := outrider.find_similar(p_message, p_channels, p_profiles, v_trace, v_hours, p_now);

  insert into outrider.message_traces as t
    (workspace_id, message_id, keys, phones, urls, pictures, words, numbers, word_pairs, noted_at, expires_at)
  values (
    v_trace.workspace_id, v_trace.message_id, v_trace.keys, v_trace.phones, v_trace.urls, v_trace.pictures, v_trace.words,
    v_trace.numbers, v_trace.word_pairs, p_now, p_now + make_interval(hours => v_hours)
  )
  on conflict (message_id, workspace_id) do update
  set keys = excluded.keys, phones = excluded.phones, urls = excluded.urls, pictures = excluded.pictures,
      words = excluded.words, numbers = excluded.numbers, word_pairs = excluded.word_pairs,
      noted_at = greatest(t.noted_at, excluded.noted_at), expires_at = greatest(t.expires_at, excluded.expires_at);
  return v_channels;
end;
$$;
