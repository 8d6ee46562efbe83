-- The posts of deliveries that stand in chats, as a whole or in part, by channel and by the platform's ids, the latest first,
-- a thousand at most: what somebody may want to delete there. Without ids are those of which nobody knows whether they
-- arrived.
create or replace function outrider.posts_naming(p_workspace_id text, p_delivery_ids uuid[])
  returns jsonb
  language sql
  stable
as $$
  select coalesce(jsonb_agg(p.post order by p.latest desc), '[]')
  from (
    select coalesce(d.sent_at, d.updated_at) as latest, jsonb_build_object(
      'channel_id', d.channel_id, 'delivery_id', d.delivery_id, 'sent_at', d.sent_at,
      'provider_message_ids', coalesce(
        d.render_meta #> '{series_progress,provider_message_ids}',
        to_jsonb(array_remove(array[d.provider_message_id], null)))) as post
    from outrider.deliveries d
    where d.workspace_id = p_workspace_id and d.delivery_id = any (p_delivery_ids)
      and (d.status = 'sent' or d.outcome_unknown or d.render_meta #> '{series_progress,sent_items,0}' is not null)
    order by latest desc
    limit 1000
  ) p;
$$;
