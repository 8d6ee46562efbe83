-- One workspace with one channel, one message, and its delivery. Running it again adds another delivery
-- of another message.
insert into outrider.workspaces (workspace_id, name, created_at)
values ('demo', 'Lost pets', now())
on conflict do nothing;

insert into outrider.channels
  (workspace_id, channel_id, platform, target_id, auth_ref, rate_group, created_at, updated_at)
values ('demo', 'city', 'telegram', '@lost_pets_city', 'bot', 'bot', now(), now())
on conflict do nothing;

with message as (
  insert into outrider.messages
    (workspace_id, message_id, content_hash, payload, first_seen_trace_id, last_seen_at, created_at)
  values (
    'demo', gen_random_uuid(), encode(sha256(gen_random_uuid()::text::bytea), 'hex'),
    '{"type": "text", "text": "Lost near the station: a ginger dog"}', 'example', now(), now()
  )
  returning *
)
insert into outrider.deliveries
  (workspace_id, delivery_id, status, attempt_limit, not_before, created_at, updated_at, message_id,
   channel_id, occurrence, hash_version, content_hash, trace_id, rendered_text)
select
  m.workspace_id, gen_random_uuid(), 'queued', 5, now(), now(), now(), m.message_id,
  'city', 1, m.hash_version, m.content_hash, 'example', m.payload ->> 'text'
from message m;
