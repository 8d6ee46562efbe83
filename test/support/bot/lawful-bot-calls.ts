// A lawful call of every function of the bot, and the rows that they need.

import { start } from '../database/seed.ts';

interface BotOrder {
  readonly p_operator: string;
  readonly p_reason: string;
  readonly p_now: string;
}

/** The answer that is being sent has the ids of the delivery that is. */
interface Sending {
  readonly sending: string;
  readonly claimToken: string;
}

export function lawfulBotCalls(
  p_workspace_id: string,
  { sending, claimToken }: Sending,
  order: BotOrder,
) {
  const { p_now } = order;
  const chat = { p_workspace_id, p_provider: 'telegram', p_chat_id: 'asking' };
  const message = { kind: 'message', text: 'Когда доставка?' };
  return {
    take_bot_update: {
      p_workspace_id,
      p_endpoint_id: 'bot',
      p_provider: 'telegram',
      p_update: JSON.stringify({ ...message, chat_id: 'asking', provider_message_id: 'm2' }),
      p_trace_id: 'trace-9',
      p_now,
    },
    run_bot_turn: { ...chat, p_provider_message_id: 'm1', p_now },
    fail_bot_turn: { ...chat, p_error: 'took too long', p_now },
    pending_bot_turns: { p_limit: 10, p_now },
    decide_bot_turn: {
      p_workspace_id,
      p_state: JSON.stringify({ state: 'default', context: {} }),
      p_input: JSON.stringify(message),
      p_document: JSON.stringify({ bot_rules: {} }),
      p_now,
    },
    claim_bot_replies: { p_run_id: 'run-3', p_limit: 10, p_now },
    extend_bot_replies: {
      p_workspace_id,
      p_reply_ids: [sending],
      p_claim_token: claimToken,
      p_now,
    },
    commit_bot_replies: {
      p_workspace_id,
      p_outcomes: JSON.stringify([
        { reply_id: sending, claim_token: claimToken, ok: true, provider_message_id: '42' },
      ]),
      p_now,
    },
    recover_bot_replies: { p_now: new Date(Date.parse(p_now) + 3_600_000).toISOString() },
    next_bot_reply_at: { p_now },
    resume_bot_chat: { ...chat, p_chat_id: 'handed-over', p_dry_run: false, ...order },
    list_bot_chats: {
      p_workspace_id,
      p_handed_over: true,
      p_chat_id: 'handed-over',
      p_limit: 10,
      p_now,
    },
    list_bot_logs: {
      ...chat,
      p_chat_id: 'handed-over',
      p_actions: ['escalated'],
      p_since: start,
      p_until: p_now,
      p_limit: 10,
      p_now,
    },
    unmatched_bot_texts: { p_workspace_id, p_since: start, p_limit: 10, p_now },
  };
}

/** The outcomes of a commit in which the answer that is being sent has failed. */
export function failedReply({ sending, claimToken }: Sending, error: object): string {
  return JSON.stringify([{ reply_id: sending, claim_token: claimToken, ok: false, error }]);
}

const time = `timestamptz '${start}'`;

/** Rows in the tables of the bot; $1 is the workspace. */
export const rowsOfTheBot = [
  `insert into outrider.workspace_endpoints
     (workspace_id, endpoint_id, kind, secret_hash, auth_ref, created_at, updated_at)
   values ($1, 'bot', 'bot_webhook', encode(sha256(('bot of ' || $1)::bytea), 'hex'), 'bot', ${time}, ${time})`,
  `insert into outrider.bot_rules (workspace_id, rule_id, version, intent, pattern, response_template, created_at)
   values ($1, 'delivery', 1, 'delivery', '{"keywords": ["доставка"]}', 'За три дня.', ${time})`,
  `insert into outrider.bot_inbox
     (workspace_id, provider, chat_id, provider_message_id, endpoint_id, kind, text, trace_id, ts, received_at)
   values ($1, 'telegram', 'asking', 'm1', 'bot', 'message', 'Когда доставка?', 'trace', ${time}, ${time})`,
  `insert into outrider.bot_state (workspace_id, provider, chat_id, handed_over_at, handed_over_until, updated_at)
   values ($1, 'telegram', 'handed-over', ${time}, 'infinity', ${time})`,
  `insert into outrider.bot_outbox
     (workspace_id, reply_id, provider, chat_id, inbound_provider_message_id, endpoint_id, auth_ref, rate_group, reply,
      response_hash, trace_id, status, attempt, attempt_limit, claim_token, sending_started_at, lease_until, created_at)
   select d.workspace_id, d.delivery_id, 'telegram', 'handed-over', 'm0', 'bot', 'bot', 'bot', '{"text": "Зову."}',
     'hash', 'trace', 'sending', 1, 5, d.claim_token, ${time}, ${time} + interval '30 minutes', ${time}
   from outrider.deliveries d
   where d.workspace_id = $1 and d.status = 'sending'`,
  `insert into outrider.bot_outbox
     (workspace_id, reply_id, provider, chat_id, inbound_provider_message_id, endpoint_id, auth_ref, rate_group, reply,
      response_hash, trace_id, due_at, attempt_limit, created_at)
   values
     ($1, gen_random_uuid(), 'telegram', 'another', 'm0', 'bot', 'bot', 'bot', '{"text": "За три дня."}',
      'hash', 'trace', ${time}, 5, ${time})`,
  `insert into outrider.bot_logs
     (workspace_id, id, ts, provider, chat_id, action, message_text, state_before, state_after, response_preview)
   values ($1, gen_random_uuid(), ${time}, 'telegram', 'handed-over', 'escalated', 'Где мой кот?', 'default', 'default', 'Зову.')`,
];
