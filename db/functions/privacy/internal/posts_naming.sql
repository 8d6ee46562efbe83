-- The posts of deliveries that stand in chats, by channel and by the platform's ids, the latest first, a thousand at most:
-- what somebody may want to delete there.
create or replace function outrider.posts_naming(p_workspace_id text, p_delivery_ids uuid[])
  returns jsonb
  language sql
  stable
as $$
  select coalesce(jsonb_agg(p.post order by p.sent_at desc), '[]')
  from (
    select d.sent_at, jsonb_build_object(
      'channel_id', d.channel_id, 'delivery_id', d.delivery_id, 'sent_at', d.sent_at,
      'provider_message_ids', coalesce(
        d.render_meta #> '{series_progress,provider_message_ids}', jsonb_build_array(d.provider_message_id))) as post
    from outrider.deliveries d
    where d.workspace_id = p_workspace_id and d.delivery_id = any (p_delivery_ids) and d.status = 'sent'
    order by d.sent_at desc
    limit 1000
  ) p;
$$;
