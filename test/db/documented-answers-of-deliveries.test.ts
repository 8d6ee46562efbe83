import { beforeAll, describe, expect, it } from 'vitest';
import { after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type Ask,
  answeredSections,
  inOrder,
  NamedWorld,
  questionsOf,
  sqlOf,
} from '../support/queries/documented-answers.ts';
import { addNamedQueue } from '../support/queries/named-queue.ts';

// Asks each question of docs/queries.md about deliveries in a small database whose answers are known. A second
// workspace holds the same rows: an answer with "town …" in it would mean that the query reads those, too.

const database = await useDatabase();
const world = new NamedWorld(database.admin);

beforeAll(async () => {
  await addNamedQueue(database, world, 'city', '');
  await addNamedQueue(database, world, 'town', 'town ');
});

const workspace = { workspace_id: 'city' };
const news = { ...workspace, channel_id: 'news' };
const slow = { ...workspace, channel_id: 'slow' };
const now = after(600);
const failed = {
  category: 'TRANSIENT',
  scope: 'delivery',
  code: '500',
  outcome: 'unknown',
  cause: 'outage',
};

/** Each question with what it is asked, and what the answer is. The ids are known when the world is built. */
const answers: Readonly<Record<string, () => readonly Ask[]>> = {
  'How many deliveries are in each state that needs attention?': () => [
    {
      values: workspace,
      rows: [
        { status: 'queued', count: '4' },
        { status: 'retry', count: '1' },
        { status: 'claimed', count: '2' },
        { status: 'sending', count: '1' },
        { status: 'failed_permanent', count: '1' },
        { status: 'dead', count: '1' },
      ],
    },
  ],
  'How many deliveries has a workspace had in all?': () => [
    { values: workspace, rows: [{ accepted: '11', suppressed: '1' }] },
  ],
  'What failed in the last ten minutes?': () => [
    {
      values: { ...workspace, since: after(3) },
      rows: [
        {
          delivery_id: 'fourth',
          channel_id: 'pets',
          status: 'dead',
          last_error: failed,
        },
      ],
    },
  ],
  'What is dead?': () => [
    {
      values: workspace,
      rows: [
        {
          delivery_id: 'fourth',
          channel_id: 'pets',
          failed_at: 4,
          last_error: failed,
        },
      ],
    },
  ],
  'Can these dead letters be sent again?': () => [
    {
      values: {
        ...workspace,
        delivery_ids: ['first', 'second', 'fourth', 'town fourth'].map((name) => world.id(name)),
      },
      rows: [
        { delivery_id: 'second', status: 'failed_permanent', scope: 'delivery' },
        { delivery_id: 'fourth', status: 'dead', scope: 'delivery' },
      ],
    },
  ],
  'What became of a message?': () => [
    {
      values: { ...workspace, message_id: world.id('message of first') },
      rows: [
        {
          channel_id: 'news',
          occurrence: 1,
          status: 'sent',
          attempt: 1,
          sent_at: 1,
          provider_message_id: `id-${world.id('first')}`,
        },
        {
          channel_id: 'news',
          occurrence: null,
          status: 'deduped',
          attempt: 0,
          sent_at: null,
          provider_message_id: null,
        },
      ],
    },
  ],
  'What were the latest deliveries of a channel?': () => [
    {
      values: news,
      rows: [
        { delivery_id: 'ten', status: 'queued', created_at: 0, sent_at: null },
        { delivery_id: 'eight', status: 'queued', created_at: 0, sent_at: null },
        { delivery_id: 'again', status: 'deduped', created_at: 0, sent_at: null },
        { delivery_id: 'third', status: 'retry', created_at: 0, sent_at: null },
        { delivery_id: 'second', status: 'failed_permanent', created_at: 0, sent_at: null },
        { delivery_id: 'first', status: 'sent', created_at: 0, sent_at: 1 },
      ],
    },
  ],
  'What were the latest deliveries of a workspace?': () => [
    {
      values: workspace,
      rows: 'eleven ten nine eight seven six five again fourth third second first'
        .split(' ')
        .map((name) => ({ platform: 'telegram', delivery_id: name, seq: expect.any(String) })),
    },
  ],
  'What failed last?': () => [
    {
      values: { ...workspace, since: now },
      rows: [
        { delivery_id: 'fourth', channel_id: 'pets', status: 'dead', failed_at: 4 },
        { delivery_id: 'second', channel_id: 'news', status: 'failed_permanent', failed_at: 2 },
      ],
    },
    {
      values: { ...workspace, since: after(3) },
      rows: [
        { delivery_id: 'second', channel_id: 'news', status: 'failed_permanent', failed_at: 2 },
      ],
    },
  ],
  'When did a channel last send something?': () => [
    { values: news, rows: [{ max: 1 }] },
    { values: slow, rows: [{ max: null }] },
  ],
  'Which deliveries are held, and by which claim?': () => [
    {
      values: workspace,
      rows: [
        { delivery_id: 'five', claim_token: 'claim', lease_until: 35 },
        { delivery_id: 'six', claim_token: null, lease_until: null },
        { delivery_id: 'seven', claim_token: null, lease_until: null },
      ],
    },
  ],
};

describe('the documented query answers:', () => {
  it.each(questionsOf(answeredSections.deliveries))('%s', async (question) => {
    const asks = answers[question]?.() ?? [];
    expect(asks).not.toEqual([]);
    for (const { values, rows } of asks) {
      expect(await world.ask(question, values)).toEqual(inOrder(sqlOf(question), rows));
    }
  });
});
