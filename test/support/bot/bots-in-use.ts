// Bots that have been at work for weeks: 200 chats in each large workspace. $1 is the present.

/** Statements for a filled database, which has the tables `tenants` (id, large) and `numbers` (n). */
export const botRows = [
  `insert into outrider.bot_rules (workspace_id, rule_id, version, enabled, intent, pattern, response_template, created_at)
   select id, 'rule-' || n, v, v = 3, 'rule', '{"keywords": ["a"]}', 'answer ' || v, $1
   from tenants, numbers, generate_series(1, 3) v where large and n <= 200`,
  `insert into outrider.bot_keywords (workspace_id, probe, rule_id, version, place, plain, stemmed)
   select id, (array['c:дост', 'c:опла', 'c:' || n])[1 + least(n % 20, 2)], 'rule-' || n, 3, 1, 'слово ' || n, ''
   from tenants, numbers where large and n <= 200`,
  `insert into outrider.bot_inbox
     (workspace_id, provider, chat_id, provider_message_id, endpoint_id, kind, text, trace_id, ts, received_at, turn_at)
   select id, 'max', 'chat-' || 1 + n % 200, 'm' || n, 'bot_webhook', 'message', 'a', 't', x.at, x.at, case when n > 400 then x.at end
   from tenants, numbers cross join lateral (select $1::timestamptz - n * interval '5 minutes' as at) x where large and n <= 5000`,
  `insert into outrider.bot_state (workspace_id, provider, chat_id, handed_over_at, handed_over_until, updated_at)
   select id, 'max', 'chat-' || n, x.at, case when x.at is not null then 'infinity'::timestamptz end, $1
   from tenants, numbers cross join lateral (
     select case when n % 10 = 0 then $1::timestamptz - n * interval '1 minute' end as at
   ) x
   where large and n <= 200`,
  `insert into outrider.bot_outbox
     (workspace_id, reply_id, provider, chat_id, inbound_provider_message_id, endpoint_id, auth_ref, rate_group, reply,
      response_hash, trace_id, status, due_at, attempt, attempt_limit, claim_token, sending_started_at, lease_until, last_error,
      created_at, sent_at, provider_message_id, failed_at)
   select id, md5(id || 'reply' || n)::uuid, 'max', 'chat-' || 1 + n % 200, 'm' || n, 'bot_webhook', 'bot', 'bot', '{"text": "a"}',
     'h', 't', x.status, case when x.status = 'waiting' and n <= 200 then x.at end, 1, 5,
     case when x.status = 'sending' then md5('token')::uuid end, case when x.status = 'sending' then x.at end,
     case when x.status = 'sending' then x.at + interval '30 seconds' end, case when x.status = 'failed' then '{"code": "502"}'::jsonb end,
     x.at, case when x.status = 'sent' then x.at end, case when x.status = 'sent' then 'mid' end,
     case when x.status = 'failed' then x.at end
   from tenants, numbers
   cross join lateral (
     select $1::timestamptz - n * interval '5 minutes' as at,
       case when n <= 10 then 'sending' when n <= 210 then 'waiting' when n % 20 = 0 then 'failed' else 'sent' end as status
   ) x
   where large and n <= 5000`,
  `insert into outrider.bot_logs
     (workspace_id, id, ts, provider, chat_id, action, message_text, state_before, state_after, response_preview)
   select id, gen_random_uuid(), $1::timestamptz - n * interval '5 minutes', 'max', 'chat-' || 1 + n % 200, 'matched', 'a',
     'default', 'default', 'b'
   from tenants, numbers where large and n <= 5000`,
];
