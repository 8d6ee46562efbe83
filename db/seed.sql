-- A demo workspace: three platforms, templates, filters, a channel with posting hours. You can run it again: rows that
-- exist are left alone. Secrets are read from the environment when a post is sent.

insert into outrider.workspaces (workspace_id, name, created_at)
values ('demo', 'Outrider demo', now())
on conflict do nothing;

-- The secrets of the demo endpoints are "demo-secret" and "demo-bot-secret"; only their hashes are kept.
insert into outrider.workspace_endpoints
  (workspace_id, endpoint_id, kind, secret_hash, auth_ref, ingress_rps, meta, created_at, updated_at)
values
  ('demo', 'push', 'webhook_push', encode(sha256('demo-secret'), 'hex'), null, 50, '{"description": "posts of the demo"}', now(), now()),
  ('demo', 'bot', 'bot_webhook', encode(sha256('demo-bot-secret'), 'hex'), 'max-bot', 200,
    '{"description": "what people write to the bot of the demo"}', now(), now())
on conflict do nothing;

insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
values
  ('demo', 'telegram-bot', 'telegram', 'env:TELEGRAM_TOKEN', now()),
  ('demo', 'max-bot', 'max', 'env:MAX_TOKEN', now()),
  ('demo', 'vk-community', 'vk', 'env:VK_TOKEN', now())
on conflict do nothing;

insert into outrider.platform_limits (workspace_id, platform, rate_group, rate_rps, updated_at)
values
  ('demo', 'telegram', 'telegram-bot', 17.5, now()),
  ('demo', 'max', 'max-bot', 25, now()),
  ('demo', 'vk', 'vk-community', 2.5, now())
on conflict do nothing;

-- Alerts are told in a chat of the operators.
insert into outrider.alert_targets (workspace_id, alert_target_id, kind, auth_ref, target_id, created_at, updated_at)
values ('demo', 'admins', 'chat', 'telegram-bot', '-1001000000005', now(), now())
on conflict do nothing;

insert into outrider.templates (workspace_id, template_id, version, body, defaults, created_at)
values
  ('demo', 'card', 1, E'{{#title}}<b>{{title}}</b>\n\n{{/title}}{{text}}{{#url}}\n\n<a href="{{url}}">{{more}}</a>{{/url}}',
    '{"more": "Read on"}', now()),
  ('demo', 'lost-pet', 1, E'🔎 {{kind}}\n\n{{text}}{{#phone}}\n☎ {{phone}}{{/phone}}{{#url}}\n\n{{url}}{{/url}}',
    '{"kind": "Lost"}', now())
on conflict do nothing;

insert into outrider.channels
  (workspace_id, channel_id, platform, target_id, auth_ref, rate_group, title, settings, tags, route_filter, template_ref,
   window_mode, posting_window, timezone, dedup_ttl_hours, rate_rps, created_at, updated_at)
values
  ('demo', 'tg-news', 'telegram', '-1001000000001', 'telegram-bot', 'telegram-bot', 'News', '{"parse_mode": "HTML"}',
    '{news}', null, 'card', 'immediate', null, null, 168, 0.6, now(), now()),
  ('demo', 'tg-pets', 'telegram', '-1001000000002', 'telegram-bot', 'telegram-bot', 'Lost pets', '{}',
    '{pets}', '{"include_any": ["lost", "found"]}', 'lost-pet', 'immediate', null, null, 168, 0.6, now(), now()),
  ('demo', 'tg-deals', 'telegram', '-1001000000003', 'telegram-bot', 'telegram-bot', 'Deals of the day', '{"disable_preview": true}',
    '{shop}', '{"include_all": ["deal"], "exclude": ["lost"]}', null, 'windowed',
    '{"mon": [["09:00", "21:00"]], "tue": [["09:00", "21:00"]], "wed": [["09:00", "21:00"]], "thu": [["09:00", "21:00"]],
      "fri": [["09:00", "21:00"]], "sat": [["10:00", "18:00"]]}', 'Europe/Moscow', 24, 0.6, now(), now()),
  ('demo', 'max-news', 'max', '-70000000000001', 'max-bot', 'max-bot', 'News', '{"parse_mode": "HTML"}',
    '{news}', null, 'card', 'immediate', null, null, 168, 1.6, now(), now()),
  ('demo', 'max-pets', 'max', '-70000000000002', 'max-bot', 'max-bot', 'Lost pets', '{}',
    '{pets}', '{"include_any": ["lost", "found"]}', 'lost-pet', 'immediate', null, null, 168, 1.6, now(), now()),
  ('demo', 'vk-wall', 'vk', '-200000001', 'vk-community', 'vk-community', 'Our wall', '{"from_group": true}',
    '{news}', '{"exclude": ["deal"]}', null, 'immediate', null, null, 168, 1, now(), now())
on conflict do nothing;

-- What the bot of the demo answers.
insert into outrider.bot_rules (workspace_id, rule_id, version, intent, pattern, response_template, created_at)
values
  ('demo', 'delivery', 1, 'delivery', '{"mode": "fuzzy", "payloads": ["faq:delivery"], "keywords": ["доставка", "доставить", "курьер", "самовывоз"]}',
    'Доставляем по городу за 1–3 дня. Курьером — 300 ₽, от 3000 ₽ бесплатно.', now()),
  ('demo', 'payment', 1, 'payment', '{"mode": "fuzzy", "payloads": ["faq:payment"], "keywords": ["оплата", "оплатить", "карта", "наличные", "рассрочка"]}',
    'Оплатить можно картой на сайте или наличными курьеру.', now()),
  ('demo', 'returns', 1, 'returns', '{"mode": "fuzzy", "payloads": ["faq:returns"], "keywords": ["возврат", "вернуть", "обменять", "обмен"]}',
    'Вернуть товар можно за 14 дней с чеком.', now()),
  ('demo', 'warranty', 1, 'warranty', '{"mode": "fuzzy", "keywords": ["гарантия", "сломался", "ремонт", "не работает"]}',
    'Гарантия — год со дня покупки.', now()),
  ('demo', 'contacts', 1, 'contacts', '{"mode": "fuzzy", "payloads": ["faq:contacts"], "keywords": ["телефон", "адрес", "контакты", "часы работы"]}',
    'Мы на связи с 9 до 21 каждый день.', now())
on conflict do nothing;

insert into outrider.bot_rules (workspace_id, rule_id, version, intent, priority, pattern, response_template, buttons, created_at)
values
  ('demo', 'menu', 1, 'menu', -5, '{"mode": "stem", "started": true, "keywords": ["меню", "привет", "здравствуйте", "помощь", "start"]}',
    'Здравствуйте{{#name}}, {{name}}{{/name}}! Спросите своими словами или выберите тему:',
    '[[{"text": "Доставка", "payload": "faq:delivery"}, {"text": "Оплата", "payload": "faq:payment"}],
      [{"text": "Возврат", "payload": "faq:returns"}, {"text": "Контакты", "payload": "faq:contacts"}]]', now())
on conflict do nothing;
