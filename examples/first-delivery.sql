-- One workspace with one channel, and a post to it. Running it again posts again.
insert into outrider.workspaces (workspace_id, name, created_at)
values ('first-delivery', 'Lost pets', now())
on conflict do nothing;

insert into outrider.channels
  (workspace_id, channel_id, platform, target_id, auth_ref, rate_group, created_at, updated_at)
values ('first-delivery', 'city', 'telegram', '@lost_pets_city', 'bot', 'bot', now(), now())
on conflict do nothing;

-- The field makes each post a new one: the same post again would be suppressed for a week.
select outrider.enqueue_messages_and_deliveries('first-delivery', null, 'push', jsonb_build_object(
  'text', 'Lost near the station: a ginger dog',
  'fields', jsonb_build_object('case', gen_random_uuid())));
