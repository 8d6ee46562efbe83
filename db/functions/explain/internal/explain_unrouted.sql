-- Why a message has no delivery in a channel, as the channel is configured now.
create or replace function outrider.explain_unrouted(
  p_message outrider.messages,
  p_channel outrider.channels,
  p_now timestamptz
)
  returns outrider.explanation
  language plpgsql
  stable
as $$
declare
  v_rule constant text := outrider.excluding_rule(p_message.tags, p_channel.route_filter);
  v_kept constant interval := outrider.kept_for(
    (select s.deliveries_retention from outrider.workspace_settings s where s.workspace_id = p_message.workspace_id),
    p_channel.dedup_ttl_hours);
  v_wanted constant text[] := array(select jsonb_array_elements_text(p_channel.route_filter -> v_rule));
begin
  return outrider.say(
    case
      when p_channel.created_at > p_message.last_seen_at then 'channel_is_newer'
      when not p_channel.enabled then 'not_routed_disabled'
      when v_rule is not null then 'not_routed_' || v_rule
      when p_channel.send_mode = 'text' and p_channel.settings ->> 'on_media' = 'leave_out'
        and not p_message.payload ?| '{text,title,links}' then 'not_routed_text_only'
      when p_message.last_seen_at < p_now - v_kept then 'delivery_purged'
      else 'not_routed_then'
    end,
    null,
    jsonb_build_object('channel_id', p_channel.channel_id, 'made_at', outrider.time_in_words(p_channel.created_at))
    || case
      when not p_channel.enabled
        then jsonb_build_object('why', case when p_channel.stopped_because ? 'code' then ' after refusals, the last one: ' else ' ' end
          || rtrim(outrider.stop_in_words(p_channel.stopped_because), '. '))
      when v_rule is not null then jsonb_build_object(
        'rule', v_rule, 'tags', outrider.tags_in_words(p_message.tags), 'wanted', outrider.tags_in_words(v_wanted),
        'missing', outrider.tags_in_words(array(
          select w.tag from unnest(v_wanted) with ordinality as w (tag, n) where w.tag <> all (p_message.tags) order by w.n)),
        'excluded', outrider.tags_in_words(array(
          select w.tag from unnest(v_wanted) with ordinality as w (tag, n) where w.tag = any (p_message.tags) order by w.n)))
      else jsonb_build_object('kept', outrider.span_in_words(v_kept))
    end);
end;
$$;
