-- Composes a message for each profile. Element n of the result is the post of profile n; null when no channel of the
-- profile takes the message. One that was suppressed as nearly the same as another is composed too: an operator may send
-- it all the same.
create or replace function outrider.compose_for_profiles(
  p_message outrider.messages,
  p_channels outrider.judged_channel[],
  p_profiles outrider.profile[]
)
  returns outrider.composed_post[]
  language plpgsql
  stable
as $$
declare
  v_takes boolean[];
  v_judged outrider.judged_channel;
  v_channel outrider.channels;
  v_posts outrider.composed_post[];
begin
  foreach v_judged in array coalesce(p_channels, '{}') loop
    if v_judged.rule is null and (v_judged.twin is null or v_judged.score is not null) then
      v_takes[v_judged.profile] := true;
    end if;
  end loop;
  for v_n in 1 .. coalesce(cardinality(p_profiles), 0) loop
    v_posts[v_n] := null;
    if v_takes[v_n] then
      v_channel := (p_profiles[v_n]).channel;
      v_posts[v_n] := outrider.compose_post(p_message.workspace_id, p_message.payload, p_message.tags,
        (p_profiles[v_n]).platform, v_channel.template_ref, v_channel.send_mode, v_channel.settings);
    end if;
  end loop;
  return v_posts;
end;
$$;
