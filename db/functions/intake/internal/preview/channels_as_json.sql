-- What would become of a message in each channel, as preview_post returns it in `channels`: the verdict that an enqueue
-- gives (verdict_as_json), and more. There are no ids of deliveries, because there are none.
create or replace function outrider.channels_as_json(
  p_message outrider.messages,
  p_channels outrider.judged_channel[],
  p_posts outrider.composed_post[],
  p_now timestamptz
)
  returns jsonb
  language plpgsql
  stable
as $$
begin
  return (
    select coalesce(jsonb_agg(
      outrider.verdict_as_json(v.verdict, u.channel_id, null, u.rule, u.twin, u.twin_status, u.until, u.not_before,
        outrider.preflight_error((p_posts[u.profile]).fault) ->> 'message', u.score)::jsonb
      || jsonb_build_object(
        'platform', c.platform, 'title', c.title, 'target_id', c.target_id,
        'profile', case when u.rule is null then u.profile - 1 end,
        'tags', outrider.tags_of_rule(u.rule, p_message.tags, c.route_filter), 'signs', u.signs,
        'next', case when v.verdict = 'queued' then outrider.step_of_new(
          c, u.not_before, outrider.next_weight((p_posts[u.profile]).render_meta), p_now) end)
      order by u.channel_id collate "C"), '[]')
    from unnest(p_channels) as u
    join outrider.channels c on c.workspace_id = p_message.workspace_id and c.channel_id = u.channel_id
    cross join lateral (
      select outrider.verdict_on_channel(u.rule, u.twin, (p_posts[u.profile]).fault is not null) as verdict
    ) v
  );
end;
$$;
