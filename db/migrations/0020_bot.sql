-- A bot that answers by rules: what people wrote to it, what it answers, the rules, where each chat stands, and the
-- record of its turns.

alter type outrider.event_action add value 'bot_chat_resumed';

-- The credential that answers what comes in at an endpoint.
alter table outrider.workspace_endpoints
  add column auth_ref text collate "C",
  add constraint only_a_bot_endpoint_has_a_credential check (kind = 'bot_webhook' or auth_ref is null),
  add constraint endpoint_auth_ref_is_short check (length(auth_ref) between 1 and 128);

comment on column outrider.workspace_endpoints.auth_ref is
  'The credential that the bot answers with; null: nothing is answered.';

alter table outrider.workspace_settings
  add column bot_fallback text default 'Не могу ответить на этот вопрос. Попробуйте спросить иначе.',
  add column bot_clarify text default 'Не понял вопрос. Напишите, пожалуйста, другими словами.',
  add column bot_misses integer default 3,
  add column bot_escalation_text text default 'Передаю ваш вопрос сотруднику. Он ответит здесь.',
  add column bot_handover interval default '12 hours',
  add column bot_state_timeout interval not null default '30 minutes',
  add column bot_inbox_retention interval not null default '3 days',
  add column bot_logs_retention interval not null default '30 days',
  add column alert_bot_errors_over integer not null default 10,
  add column alert_bot_fallback_over numeric not null default 0.5,
  add column alert_bot_escalation_over interval not null default '15 minutes',
  add column alert_bot_silence_over interval,
  add constraint bot_texts_are_short check (
    length(bot_fallback) between 1 and 2000 and length(bot_clarify) between 1 and 2000
    and length(bot_escalation_text) between 1 and 2000
  ),
  add constraint bot_misses_are_1_to_100 check (bot_misses between 1 and 100),
  add constraint bot_spans_are_positive check (
    least(
      bot_handover, bot_state_timeout, bot_inbox_retention, bot_logs_retention, alert_bot_escalation_over,
      alert_bot_silence_over
    ) > interval '0'
  ),
  add constraint bot_spans_are_within_a_thousand_years check (
    greatest(
      bot_handover, bot_state_timeout, bot_inbox_retention, bot_logs_retention, alert_bot_escalation_over,
      alert_bot_silence_over
    ) <= interval '1000 years'
  ),
  -- Repeats of an update are known by the update: MAX repeats it for eight hours.
  add constraint updates_are_kept_while_they_may_be_repeated check (bot_inbox_retention >= interval '1 day'),
  add constraint alert_bot_errors_over_is_not_negative check (alert_bot_errors_over >= 0),
  add constraint alert_bot_fallback_over_is_a_share check (alert_bot_fallback_over between 0 and 1);

comment on column outrider.workspace_settings.bot_fallback is
  'What the bot answers when no rule matches; null: nothing.';
comment on column outrider.workspace_settings.bot_clarify is
  'What the bot answers the first time that no rule matches; null: bot_fallback.';
comment on column outrider.workspace_settings.bot_misses is
  'After how many messages in a row that no rule matches the chat is handed over to a person; null: never.';
comment on column outrider.workspace_settings.bot_escalation_text is
  'What the bot says when it hands a chat over and no rule says it; null: nothing.';
comment on column outrider.workspace_settings.bot_handover is
  'How long the bot is silent in a chat that it has handed over; null: until somebody resumes it.';
comment on column outrider.workspace_settings.bot_state_timeout is
  'After how long without a message a dialogue is forgotten; a rule may have its own timeout.';
comment on column outrider.workspace_settings.bot_inbox_retention is
  'How long messages to the bot are kept; 1 day or more, because repeats are known by them.';
comment on column outrider.workspace_settings.bot_logs_retention is
  'How long the record of the bot''s turns is kept, with its answers and with what it knows of a chat.';
comment on column outrider.workspace_settings.alert_bot_errors_over is
  'How many sends of the bot''s answers may fail within ten minutes before an alert opens.';
comment on column outrider.workspace_settings.alert_bot_fallback_over is
  'Which share of the messages of an hour may find no rule before an alert opens.';
comment on column outrider.workspace_settings.alert_bot_escalation_over is
  'How long a chat that was handed over may wait for a person before an alert opens.';
comment on column outrider.workspace_settings.alert_bot_silence_over is
  'How long nothing may come in at a bot''s endpoint before an alert opens; null: no alert.';

-- What people wrote to a bot, one row for each update of the platform, however often it is repeated.
create table outrider.bot_inbox (
  workspace_id text collate "C" not null,
  provider text collate "C" not null,
  chat_id text collate "C" not null,
  provider_message_id text collate "C" not null,
  seq bigint generated always as identity,
  endpoint_id text collate "C" not null,
  kind text collate "C" not null,
  text text,
  payload text,
  sender jsonb not null default '{}',
  callback_id text,
  trace_id text not null,
  ts timestamptz not null,
  received_at timestamptz not null,
  turn_at timestamptz,
  failures smallint not null default 0,

  constraint bot_inbox_pkey primary key (workspace_id, provider, chat_id, provider_message_id),
  constraint updates_come_in_at_an_endpoint
    foreign key (workspace_id, endpoint_id) references outrider.workspace_endpoints,
  constraint an_update_is_of_a_known_kind check (kind in ('message', 'button', 'started')),
  constraint update_ids_are_short check (
    length(chat_id) between 1 and 256 and length(provider_message_id) between 1 and 256
    and length(callback_id) <= 512 and length(trace_id) between 1 and 256
  ),
  constraint texts_of_updates_are_cut check (length(text) <= 4096 and length(payload) <= 1024),
  constraint a_sender_is_an_object check (jsonb_typeof(sender) = 'object')
);

comment on column outrider.bot_inbox.ts is 'when the platform says that it happened';
comment on column outrider.bot_inbox.turn_at is 'when the bot''s turn was done; null: not yet';
comment on column outrider.bot_inbox.failures is 'how often its turn failed by its own fault';

-- Updates whose turn was not run, by chat and in order.
create index bot_inbox_turns_idx on outrider.bot_inbox (workspace_id, provider, chat_id, ts, seq) where turn_at is null;
-- What came in last, and what is old.
create index bot_inbox_received_idx on outrider.bot_inbox (workspace_id, received_at);

-- What a bot answers to which words. A version never changes; one version of a rule is enabled at most.
create table outrider.bot_rules (
  workspace_id text collate "C" not null,
  rule_id text collate "C" not null,
  version integer not null,
  enabled boolean not null default true,
  intent text not null,
  pattern jsonb not null,
  priority integer not null default 0,
  max_turns integer not null default 5,
  response_template text not null,
  next_state text collate "C",
  from_state text collate "C",
  buttons jsonb,
  collect text collate "C",
  retry_template text,
  escalate boolean not null default false,
  timeout interval,
  created_at timestamptz not null,

  constraint bot_rules_pkey primary key (workspace_id, rule_id, version),
  constraint bot_rules_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint rule_id_is_a_short_slug check (rule_id ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$'),
  constraint rule_versions_count_from_one check (version >= 1),
  constraint rule_intent_is_short check (length(intent) between 1 and 64),
  constraint rule_pattern_has_known_keys_only check (
    jsonb_typeof(pattern) = 'object'
    and not jsonb_path_exists(
      pattern, '$.keyvalue() ? (!(@.key like_regex "^(keywords|mode|not|validate|payloads|started)$"))')
  ),
  constraint rule_mode_is_known check (coalesce(pattern ->> 'mode', 'contains') in ('contains', 'stem', 'fuzzy', 'any')),
  constraint rule_words_are_lists_of_texts check (
    not jsonb_path_exists(pattern, 'strict $.keyvalue() ? (@.key == "keywords" || @.key == "not" || @.key == "payloads").value ? (@.type() != "array")')
    and not jsonb_path_exists(pattern, 'strict $.* ? (@.type() == "array")[*] ? (@.type() != "string")')
  ),
  constraint rule_validation_is_a_text check (coalesce(jsonb_typeof(pattern -> 'validate'), 'string') = 'string'),
  constraint rule_started_is_true_or_false check (coalesce(jsonb_typeof(pattern -> 'started'), 'boolean') = 'boolean'),
  constraint only_free_input_is_validated_or_collected check (
    coalesce(pattern ->> 'mode' = 'any', false)
    or (collect is null and retry_template is null and not pattern ? 'validate')
  ),
  constraint what_is_validated_is_asked_again check ((pattern ? 'validate') = (retry_template is not null)),
  constraint rule_texts_are_short
    check (length(response_template) between 1 and 4000 and length(retry_template) between 1 and 4000),
  constraint max_turns_is_1_to_100 check (max_turns between 1 and 100),
  constraint states_are_short_slugs check (
    next_state ~ '^[a-z0-9][a-z0-9_.-]{0,63}$' and from_state ~ '^[a-z0-9][a-z0-9_.-]{0,63}$'
  ),
  constraint collected_names_are_names_of_templates check (collect ~ '^[a-z][a-z0-9_]{0,31}$' and collect <> 'text'),
  constraint rule_buttons_are_a_list check (jsonb_typeof(buttons) = 'array'),
  constraint what_is_handed_over_leads_to_no_state check (not escalate or next_state is null),
  constraint rule_timeout_is_a_month_at_most check (timeout > interval '0' and timeout <= interval '31 days')
);

comment on column outrider.bot_rules.pattern is
  '{keywords, mode: contains | stem | fuzzy | any, not?, validate?, payloads?, started?}: what the rule matches';
comment on column outrider.bot_rules.priority is 'of several rules that match, the one with the highest answers';
comment on column outrider.bot_rules.from_state is 'the state that the rule is for; null: every state';
comment on column outrider.bot_rules.collect is 'the name under which templates find the free input';
comment on column outrider.bot_rules.retry_template is 'asks again when the free input is not valid';
comment on column outrider.bot_rules.timeout is 'of the state that the rule sets; null: bot_state_timeout';

-- One active version of each rule.
create unique index bot_rules_active_idx on outrider.bot_rules (workspace_id, rule_id) where enabled;

-- The words of enabled rules as they are read, by pieces of them: so a turn finds the rules that may match, and need not read
-- all rules. See near_bot_keywords.
create table outrider.bot_keywords (
  workspace_id text collate "C" not null,
  probe text collate "C" not null,
  rule_id text collate "C" not null,
  version integer not null,
  place smallint not null,
  plain text collate "C" not null,
  stemmed text collate "C" not null,

  constraint bot_keywords_pkey primary key (workspace_id, probe, rule_id, plain),
  constraint keywords_belong_to_a_rule
    foreign key (workspace_id, rule_id, version) references outrider.bot_rules on delete cascade
);

comment on column outrider.bot_keywords.probe is
  'a piece of a keyword that every text has which the keyword matches';
comment on column outrider.bot_keywords.place is 'which keyword of the pattern it is; 0 for what is no keyword';
comment on column outrider.bot_keywords.plain is 'the keyword as read_bot_text reads it, and in stemmed its stems; empty for what is no keyword';

-- Where a chat stands.
create table outrider.bot_state (
  workspace_id text collate "C" not null,
  provider text collate "C" not null,
  chat_id text collate "C" not null,
  state text collate "C" not null default 'default',
  context jsonb not null default '{}',
  opened_by text collate "C",
  expires_at timestamptz,
  handed_over_at timestamptz,
  handed_over_until timestamptz,
  next_reply_at timestamptz,
  updated_at timestamptz not null,

  constraint bot_state_pkey primary key (workspace_id, provider, chat_id),
  constraint bot_states_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint state_is_a_short_slug check (state ~ '^[a-z0-9][a-z0-9_.-]{0,63}$'),
  constraint bot_context_is_an_object check (jsonb_typeof(context) = 'object'),
  constraint a_dialogue_knows_its_rule_and_its_end
    check ((state = 'default') = (opened_by is null) and (state = 'default' or expires_at is not null)),
  constraint a_handover_has_a_beginning_and_an_end check ((handed_over_at is null) = (handed_over_until is null))
);

comment on column outrider.bot_state.context is
  '{turns, misses, values}: messages of the dialogue, messages in a row without a rule, and what was collected';
comment on column outrider.bot_state.opened_by is 'the rule that opened the dialogue, whose max_turns counts';
comment on column outrider.bot_state.next_reply_at is
  'when the platform''s pace allows the next message in the chat; null: at once';

-- Chats that a person has to look after.
create index bot_state_handed_over_idx on outrider.bot_state (workspace_id, handed_over_at) where handed_over_at is not null;

-- What a bot answers. A reply is sent, tried again and recovered like a delivery.
create table outrider.bot_outbox (
  workspace_id text collate "C" not null,
  reply_id uuid not null,
  seq bigint generated always as identity,
  provider text collate "C" not null,
  chat_id text collate "C" not null,
  inbound_provider_message_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  auth_ref text collate "C" not null,
  rate_group text collate "C" not null,
  reply jsonb not null,
  response_hash text collate "C" not null,
  callback_id text,
  trace_id text not null,
  status text collate "C" not null default 'waiting',
  due_at timestamptz,
  attempt integer not null default 0,
  attempt_limit integer not null,
  waited interval,
  claim_token uuid,
  sending_started_at timestamptz,
  lease_until timestamptz,
  outcome_unknown boolean not null default false,
  last_error jsonb,
  created_at timestamptz not null,
  sent_at timestamptz,
  provider_message_id text,
  failed_at timestamptz,

  constraint bot_outbox_pkey primary key (workspace_id, reply_id),
  constraint one_reply_for_each_update unique (workspace_id, provider, chat_id, inbound_provider_message_id),
  constraint replies_belong_to_a_workspace foreign key (workspace_id) references outrider.workspaces,
  constraint a_reply_goes_to_a_known_platform foreign key (provider) references outrider.platforms (platform),
  constraint reply_status_is_known check (status in ('waiting', 'sending', 'sent', 'failed', 'dead')),
  constraint a_reply_says_something_or_answers_a_button check (
    jsonb_typeof(reply -> 'text') = 'string' or (reply = '{}' and callback_id is not null)
  ),
  constraint only_a_waiting_reply_is_due check (due_at is null or status = 'waiting'),
  constraint a_reply_that_is_sent_is_held check (
    (status = 'sending') = (claim_token is not null) and (status = 'sending') = (lease_until is not null)
    and (status = 'sending') = (sending_started_at is not null)
  ),
  constraint a_sent_reply_is_dated_and_no_other_is
    check ((status = 'sent') = (sent_at is not null) and (status = 'sent') = (provider_message_id is not null)),
  constraint a_failed_reply_is_dated_and_says_why check (
    (status in ('failed', 'dead')) = (failed_at is not null) and (failed_at is null or last_error is not null)
  ),
  constraint reply_attempts_count_from_zero check (attempt between 0 and attempt_limit)
)
with (fillfactor = 70);

comment on column outrider.bot_outbox.due_at is
  'when it may be sent; null while another reply of its chat goes before it';
comment on column outrider.bot_outbox.reply is
  '{text, buttons?}; {}: nothing is said, and the platform is only told that its button was heard';

-- What is due in a rate group.
create index bot_outbox_due_idx on outrider.bot_outbox (workspace_id, provider, rate_group, due_at, seq) where due_at is not null;
-- The replies of a chat that have not ended, in order.
create index bot_outbox_open_idx on outrider.bot_outbox (workspace_id, provider, chat_id, seq) where status in ('waiting', 'sending');
-- Whose sender may be gone.
create index bot_outbox_leases_idx on outrider.bot_outbox (lease_until) where status = 'sending';
-- What could not be answered.
create index bot_outbox_failed_idx on outrider.bot_outbox (workspace_id, failed_at) where failed_at is not null;

-- The record of a bot: one row for each turn, and one for each send that did not succeed. Texts are masked.
create table outrider.bot_logs (
  workspace_id text collate "C" not null,
  id uuid not null,
  ts timestamptz not null,
  provider text collate "C" not null,
  chat_id text collate "C" not null,
  action text collate "C" not null,
  message_text text,
  matched_rule_id text collate "C",
  rule_version integer,
  state_before text collate "C" not null,
  state_after text collate "C" not null,
  response_preview text,
  meta jsonb not null default '{}',

  constraint bot_logs_pkey primary key (workspace_id, ts, id),
  constraint bot_action_is_known check (action in (
    'matched', 'asked_again', 'clarified', 'fell_back', 'escalated', 'silent',
    'retry', 'failed', 'dead', 'lease_expired'
  )),
  constraint a_matched_rule_has_its_version check ((matched_rule_id is null) = (rule_version is null)),
  constraint logged_texts_are_cut check (length(message_text) <= 1000 and length(response_preview) <= 500),
  constraint bot_meta_is_an_object check (jsonb_typeof(meta) = 'object')
);

comment on column outrider.bot_logs.action is
  'what the bot did with a message (matched to silent), or why its answer was not sent (retry to lease_expired)';
comment on column outrider.bot_logs.meta is '{trace_id, idempotency_key, kind, why, …}; the key is the id of the reply';

-- A dialogue from its end.
create index bot_logs_of_chat_idx on outrider.bot_logs (workspace_id, provider, chat_id, ts);

do $$
declare
  v_table text;
begin
  foreach v_table in array array['bot_inbox', 'bot_rules', 'bot_keywords', 'bot_state', 'bot_outbox', 'bot_logs'] loop
    execute format('alter table outrider.%I enable row level security', v_table);
    execute format('alter table outrider.%I force row level security', v_table);
    execute format(
      'create policy functions_act_for_the_workspace_they_checked on outrider.%I
         to outrider_owner using (true) with check (true)', v_table);
    execute format(
      'create policy services_see_every_workspace on outrider.%I
         for select to outrider_service using (true)', v_table);
    execute format(
      'create policy a_login_sees_its_workspaces on outrider.%I
         for select using (
           workspace_id in (
             select l.workspace_id from outrider.workspace_logins l where l.login = current_user))',
      v_table);
    execute format('grant select on outrider.%I to outrider_reader', v_table);
  end loop;
end;
$$;

-- What somebody wrote, as rules are matched with it (read_bot_text).
create type outrider.bot_text as (
  -- In lower case and without punctuation, one blank around each word.
  plain text,
  words text[],
  -- The stems of the words, one blank around each.
  stemmed text,
  stems text[]
);

-- How a rule matches a text (matching_bot_rules).
create type outrider.bot_match as (
  rule outrider.bot_rules,
  -- What of its pattern was found; empty for free input.
  found text[],
  -- How many of these were found without a typing error.
  exact integer,
  -- The free input as it is collected; null when it is not valid.
  input text,
  is_valid boolean
);
