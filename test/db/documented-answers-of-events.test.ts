import { beforeAll, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type Outcome } from '../../src/db/commit.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addMessage,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type Ask,
  answeredSections,
  inOrder,
  NamedWorld,
  questionsOf,
  sqlOf,
} from '../support/queries/documented-answers.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// Asks each question of docs/queries.md about events and messages in a small database whose answers are known. A second
// workspace holds the same rows: an answer with "town …" in it would mean that the query reads those, too.

const database = await useDatabase();
const world = new NamedWorld(database.admin);

beforeAll(async () => {
  for (const [workspaceId, prefix] of [
    ['city', ''],
    ['town', 'town '],
  ] as const) {
    await build(workspaceId, prefix);
  }
});

const day = 86_400;

/** First was sent, the bot was kicked for second, third met a rate limit, fourth died; 25 wait behind second. */
async function build(workspaceId: string, prefix: string): Promise<void> {
  const { admin, service } = database;
  await addWorkspace(admin, workspaceId, { backoff_jitter: 0 });
  await addChannel(admin, workspaceId, 'news');
  await addChannel(admin, workspaceId, 'kicked');
  await addChannel(admin, workspaceId, 'busy', { rate_group: 'second' });

  async function deliver(name: string, channelId: string, columns = {}, tags = {}): Promise<void> {
    const message = await addMessage(admin, workspaceId, tags);
    world.name(`${prefix}message of ${name}`, message);
    const given = { message_id: message, ...columns };
    world.name(`${prefix}${name}`, await addDelivery(admin, workspaceId, channelId, given));
  }
  async function held(
    name: string,
    now: string,
  ): Promise<{ deliveryId: string; claimToken: string }> {
    const request = { workspaceId, runId: 'run', limit: 1 };
    const [claimed] = await claimDeliveries(service, request, now);
    if (claimed?.deliveryId !== world.id(`${prefix}${name}`))
      throw new Error(`${name} is not next`);
    return claimed;
  }
  const commit = (outcome: Outcome, now: string): Promise<unknown> =>
    commitOutcomes(service, workspaceId, [outcome], now);

  const old = { created_at: after(-9 * day), last_seen_at: after(-9 * day) };
  const ancient = world.name(`${prefix}ancient message`, await addMessage(admin, workspaceId, old));
  const repeat = { message_id: ancient, status: 'deduped', occurrence: null, ...old };
  const { last_seen_at: _, ...columns } = repeat;
  world.name(`${prefix}ancient`, await addDelivery(admin, workspaceId, 'news', columns));

  await deliver('first', 'news', {}, { tags: ['lost', 'story7'], source_ref: 'post-7' });
  await commit(sent(await held('first', start)), after(1));
  await deliver('second', 'kicked');
  const kicked = { category: 'PERMANENT', scope: 'channel', code: '403' } as const;
  await commit(failed(await held('second', after(2)), kicked), after(3));
  await deliver('third', 'busy');
  const limited = { scope: 'platform', code: '429', retryAfterMs: 60_000 } as const;
  await commit(failed(await held('third', after(4)), limited), after(5));
  await deliver('fourth', 'news', { attempt_limit: 1 });
  await commit(failed(await held('fourth', after(6)), { code: 'busy' }), after(7));
  await addBacklog(admin, workspaceId, ['kicked'], 25);
  const late = { created_at: after(200), last_seen_at: after(200) };
  world.name(`${prefix}late message`, await addMessage(admin, workspaceId, late));
}

const workspace = { workspace_id: 'city' };
const since = start;
const payload = { type: 'text', text: 'Lost: a ginger dog near the station' };
const dead = { category: 'TRANSIENT', scope: 'delivery', code: 'busy', outcome: 'refused' };
const refused = { category: 'PERMANENT', scope: 'channel', code: '403', outcome: 'refused' };
const asked = {
  category: 'TRANSIENT',
  scope: 'platform',
  code: '429',
  outcome: 'refused',
  cause: 'pace',
  retry_after_ms: 60_000,
};

/** Each question with what it is asked, and what the answer is. The ids are known when the world is built. */
const answers: Readonly<Record<string, () => readonly Ask[]>> = {
  'What happened lately in a workspace?': () => [
    {
      values: { ...workspace, since: after(6) },
      rows: [
        {
          ts: 7,
          action: 'dead_letter',
          channel_id: 'news',
          delivery_id: 'fourth',
          result: 'error',
        },
        { ts: 6, action: 'send_attempt', channel_id: 'news', delivery_id: 'fourth', result: 'ok' },
      ],
    },
  ],
  'What broke in the last half hour?': () => [
    {
      values: { ...workspace, since: after(6) },
      rows: [
        {
          ts: 7,
          action: 'dead_letter',
          channel_id: 'news',
          delivery_id: 'fourth',
          attempt: 1,
          error: dead,
          meta: { trace_id: `trace-${world.id('fourth')}` },
        },
      ],
    },
  ],
  'When did something rare happen?': () => [
    { values: { ...workspace, since }, rows: [{ ts: 7, delivery_id: 'fourth', error: dead }] },
    { values: { ...workspace, since: after(8) }, rows: [] },
  ],
  'How much was sent in an hour?': () => [
    { values: { ...workspace, since, until: after(2) }, rows: [{ count: '1' }] },
    { values: { ...workspace, since, until: after(1) }, rows: [{ count: '0' }] },
  ],
  'How much was sent in a day?': () => [
    { values: { ...workspace, since }, rows: [{ count: '1' }] },
    { values: { ...workspace, since: after(2) }, rows: [{ count: '0' }] },
  ],
  'What happened to a delivery?': () => [
    {
      values: { ...workspace, delivery_id: world.id('second') },
      rows: [
        { ts: 2, action: 'send_attempt', attempt: 1, result: 'ok', error: null },
        { ts: 3, action: 'failed_permanent', attempt: 1, result: 'error', error: refused },
      ],
    },
    { values: { ...workspace, delivery_id: world.id('town second') }, rows: [] },
  ],
  'What happened to a message?': () => [
    {
      values: { ...workspace, message_id: world.id('message of second') },
      rows: [
        { ts: 2, action: 'send_attempt', channel_id: 'kicked', attempt: 1, result: 'ok' },
        { ts: 3, action: 'failed_permanent', channel_id: 'kicked', attempt: 1, result: 'error' },
        { ts: 3, action: 'channel_paused', channel_id: 'kicked', attempt: 0, result: 'error' },
      ],
    },
  ],
  'What happened lately in a channel?': () => [
    {
      values: { ...workspace, channel_id: 'kicked', since },
      rows: [
        { ts: 2, action: 'send_attempt', delivery_id: 'second', attempt: 1, result: 'ok' },
        { ts: 3, action: 'failed_permanent', delivery_id: 'second', attempt: 1, result: 'error' },
        { ts: 3, action: 'channel_paused', delivery_id: null, attempt: 0, result: 'error' },
      ],
    },
    {
      values: { ...workspace, channel_id: 'busy', since },
      rows: [
        { ts: 4, action: 'send_attempt', delivery_id: 'third', attempt: 1, result: 'ok' },
        { ts: 5, action: 'retry_scheduled', delivery_id: 'third', attempt: 1, result: 'error' },
        { ts: 5, action: 'group_cooled_down', delivery_id: null, attempt: 0, result: 'error' },
      ],
    },
  ],
  'What stopped the rate groups lately, and what opened them?': () => [
    {
      values: { ...workspace, since },
      rows: [
        {
          ts: 5,
          action: 'group_cooled_down',
          channel_id: 'busy',
          error: asked,
          meta: expect.objectContaining({
            platform: 'telegram',
            rate_group: 'second',
            delivery_id: world.id('third'),
          }),
        },
      ],
    },
  ],
  'Is this content known?': () => [
    {
      values: { ...workspace, content_hash: hashOf('first') },
      rows: [{ message_id: 'message of first', seen_count: '1' }],
    },
    { values: { ...workspace, content_hash: hashOf('town first') }, rows: [] },
  ],
  'Which messages came in under a `source_ref`?': () => [
    {
      values: { ...workspace, source_ref: 'post-7' },
      rows: [{ message_id: 'message of first', created_at: 0 }],
    },
    { values: { ...workspace, source_ref: 'post-8' }, rows: [] },
  ],
  'Which messages came in lately?': () => [
    {
      values: { ...workspace, since: after(100) },
      rows: [{ message_id: 'late message', created_at: 200, payload }],
    },
  ],
  'Which messages carry a tag?': () => [
    { values: workspace, rows: [{ message_id: 'message of first', tags: ['lost', 'story7'] }] },
  ],
  'Which deliveries are past their retention?': () => [
    {
      values: { ...workspace, retention_start: after(-8 * day) },
      rows: [{ delivery_id: 'ancient' }],
    },
    { values: { ...workspace, retention_start: after(-10 * day) }, rows: [] },
  ],
};

/** As seeds make it. */
function hashOf(name: string): string {
  const prefix = name.startsWith('town ') ? 'town ' : '';
  const message = world.id(`${prefix}message of ${name.replace('town ', '')}`);
  return `${message.replaceAll('-', '')}${'0'.repeat(32)}`;
}

describe('the documented query answers:', () => {
  it.each(questionsOf(answeredSections.events))('%s', async (question) => {
    const asks = answers[question]?.() ?? [];
    expect(asks).not.toEqual([]);
    for (const { values, rows } of asks) {
      expect(await world.ask(question, values)).toEqual(inOrder(sqlOf(question), rows));
    }
  });
});
