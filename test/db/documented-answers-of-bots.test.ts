import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { addWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type Ask,
  answeredSections,
  inOrder,
  NamedWorld,
  questionsOf,
  sqlOf,
} from '../support/queries/documented-answers.ts';

// Asks each question of docs/queries.md about bots in a small database whose answers are known. A second
// workspace holds the same rows, which no query may read.

const database = await useDatabase();
const world = new NamedWorld(database.admin);

beforeAll(async () => {
  for (const workspaceId of ['city', 'town']) await build(workspaceId);
});

async function build(workspaceId: string): Promise<void> {
  const { admin } = database;
  await addWorkspace(admin, workspaceId);
  const insert = (table: string, rows: readonly Record<string, unknown>[]): Promise<unknown> =>
    admin.query(
      `insert into outrider.${table} (${Object.keys(rows[0] ?? {}).join(', ')})
       select ${Object.keys(rows[0] ?? {}).join(', ')}
       from jsonb_populate_recordset(null::outrider.${table}, $1)`,
      [JSON.stringify(rows.map((row) => ({ ...row, workspace_id: workspaceId })))],
    );
  await insert('workspace_endpoints', [
    {
      workspace_id: '',
      endpoint_id: 'bot',
      kind: 'bot_webhook',
      secret_hash: `${randomUUID().replaceAll('-', '')}${'0'.repeat(32)}`,
      enabled: true,
      ingress_rps: 5,
      max_payload_bytes: 1000,
      hash_drop_window_sec: 0,
      meta: {},
      created_at: start,
      updated_at: start,
    },
  ]);
  const rule = (version: number, enabled: boolean, keywords: string[]) => ({
    workspace_id: '',
    rule_id: 'rule-7',
    version,
    enabled,
    intent: 'rule',
    pattern: { keywords },
    priority: 0,
    max_turns: 5,
    response_template: `answer ${version}`,
    escalate: false,
    created_at: start,
  });
  await insert('bot_rules', [rule(1, false, ['стол']), rule(2, true, ['доставка', 'стул'])]);
  const update = (provider_message_id: string, chat_id: string, at: number, done: boolean) => ({
    workspace_id: '',
    provider: 'max',
    chat_id,
    provider_message_id,
    endpoint_id: 'bot',
    kind: 'message',
    text: `text of ${provider_message_id}`,
    sender: {},
    trace_id: 'trace',
    ts: after(at),
    received_at: after(at),
    turn_at: done ? after(at) : null,
  });
  await insert('bot_inbox', [
    update('m1', 'chat-7', 0, true),
    update('m3', 'chat-7', 20, false),
    update('m2', 'chat-7', 10, false),
    update('m4', 'chat-8', 15, false),
  ]);
  const state = (chat_id: string, at: number | null) => ({
    workspace_id: '',
    provider: 'max',
    chat_id,
    state: 'default',
    context: {},
    handed_over_at: at === null ? null : after(at),
    handed_over_until: at === null ? null : 'infinity',
    updated_at: start,
  });
  await insert('bot_state', [state('chat-7', 30), state('chat-8', null), state('chat-9', 20)]);
  const reply = (chat_id: string, message: string, columns: Record<string, unknown>) => ({
    workspace_id: '',
    reply_id: randomUUID(),
    provider: 'max',
    chat_id,
    inbound_provider_message_id: message,
    endpoint_id: 'bot',
    auth_ref: 'bot',
    rate_group: 'bot',
    reply: { text: 'a' },
    response_hash: 'hash',
    trace_id: 'trace',
    attempt: 1,
    attempt_limit: 5,
    outcome_unknown: false,
    created_at: start,
    status: 'waiting',
    due_at: null,
    claim_token: null,
    sending_started_at: null,
    lease_until: null,
    last_error: null,
    sent_at: null,
    provider_message_id: null,
    failed_at: null,
    ...columns,
  });
  const held = { claim_token: randomUUID(), sending_started_at: start, status: 'sending' };
  const error = { last_error: { code: '502' } };
  await insert('bot_outbox', [
    reply('chat-7', 'm1', { due_at: after(10) }),
    reply('chat-7', 'm6', {}),
    reply('chat-8', 'm1', { due_at: after(5) }),
    reply('chat-9', 'm1', { due_at: after(200) }),
    reply('chat-8', 'm0', { status: 'sent', sent_at: start, provider_message_id: '1' }),
    reply('chat-5', 'm1', { ...held, lease_until: after(50) }),
    reply('chat-6', 'm1', { ...held, lease_until: after(500) }),
    reply('chat-3', 'm1', { ...error, status: 'dead', failed_at: after(60) }),
    reply('chat-3', 'm2', { ...error, status: 'failed', failed_at: after(70) }),
    reply('chat-3', 'm3', { ...error, status: 'failed', failed_at: after(-10) }),
  ]);
  const turn = (chat_id: string, at: number, text: string) => ({
    workspace_id: '',
    id: randomUUID(),
    ts: after(at),
    provider: 'max',
    chat_id,
    action: 'matched',
    message_text: text,
    state_before: 'default',
    state_after: 'default',
    response_preview: `answer to ${text}`,
    meta: {},
  });
  await insert('bot_logs', [
    turn('chat-7', 1, 'one'),
    turn('chat-7', 2, 'two'),
    turn('chat-8', 3, 'three'),
  ]);
}

const workspace = { workspace_id: 'city' };
const now = after(100);

const answers: Readonly<Record<string, () => readonly Ask[]>> = {
  'Which rules have a keyword that begins like a word of this text?': () => [
    { values: workspace, rows: [{ rule_id: 'rule-7', plain: 'доставка' }] },
  ],
  'Which version of a rule is active?': () => [
    { values: workspace, rows: [{ version: 2, response_template: 'answer 2' }] },
  ],
  "Which updates of a chat wait for the bot's turn?": () => [
    {
      values: workspace,
      rows: [
        { provider_message_id: 'm2', text: 'text of m2' },
        { provider_message_id: 'm3', text: 'text of m3' },
      ],
    },
  ],
  'Which messages to a bot have been kept long enough?': () => [
    {
      values: { ...workspace, retention_start: after(12) },
      rows: [
        { chat_id: 'chat-7', provider_message_id: 'm1' },
        { chat_id: 'chat-7', provider_message_id: 'm2' },
      ],
    },
  ],
  'What is due in a rate group?': () => [
    {
      values: { ...workspace, now },
      rows: [
        { chat_id: 'chat-8', due_at: 5 },
        { chat_id: 'chat-7', due_at: 10 },
      ],
    },
  ],
  'Which answer of a chat comes next?': () => [
    {
      values: workspace,
      rows: [
        { status: 'waiting', due_at: 10 },
        { status: 'waiting', due_at: null },
      ],
    },
  ],
  'Was this update answered?': () => [
    { values: workspace, rows: [{ status: 'waiting', due_at: null }] },
  ],
  'Which answers are held by senders that may be gone?': () => [
    {
      values: { now },
      rows: [
        { workspace_id: 'city', chat_id: 'chat-5' },
        { workspace_id: 'town', chat_id: 'chat-5' },
      ],
    },
  ],
  'Which answers could not be sent since yesterday?': () => [
    {
      values: { ...workspace, now, since: after(0) },
      rows: [
        { chat_id: 'chat-3', status: 'failed', failed_at: 70 },
        { chat_id: 'chat-3', status: 'dead', failed_at: 60 },
      ],
    },
  ],
  'What was said in a chat?': () => [
    {
      values: workspace,
      rows: [
        { ts: 2, message_text: 'two', response_preview: 'answer to two' },
        { ts: 1, message_text: 'one', response_preview: 'answer to one' },
      ],
    },
  ],
  'Which chats wait for a person?': () => [
    {
      values: workspace,
      rows: [
        { provider: 'max', chat_id: 'chat-9', handed_over_at: 20 },
        { provider: 'max', chat_id: 'chat-7', handed_over_at: 30 },
      ],
    },
  ],
};

describe('the documented query answers:', () => {
  it.each(questionsOf(answeredSections.bots))('%s', async (question) => {
    const asks = answers[question]?.() ?? [];
    expect(asks).not.toEqual([]);
    for (const { values, rows } of asks) {
      expect(await world.ask(question, values)).toEqual(inOrder(sqlOf(question), rows));
    }
  });
});
