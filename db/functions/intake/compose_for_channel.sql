-- A message as a channel gets it. Channels of one profile get the same, so that it is called for one of them.
create or replace function outrider.compose_for_channel(p_message outrider.messages, p_channel_id text)
  returns outrider.composed_post
  language plpgsql
  stable
as $$
declare
  v_post outrider.composed_post;
begin
  select p.rendered_text, p.render_meta, p.template_version, p.fault into v_post
  from outrider.channels c
  cross join lateral outrider.compose_post(
    p_message.workspace_id, p_message.payload, p_message.tags, c.platform, c.template_ref, c.send_mode, c.settings) p
  where c.workspace_id = p_message.workspace_id and c.channel_id = p_channel_id;
  return v_post;
end;
$$;
