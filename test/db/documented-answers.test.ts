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
import { documentedQueries } from '../support/queries/documented-queries.ts';
import { addNamedQueue, hashOf } from '../support/queries/named-queue.ts';

// Asks each question of docs/queries.md about what waits and what is being sent in a small database whose answers are
// known. A second workspace holds the same rows: an answer with "town …" in it would mean that the query reads those, too.

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
const contentOf = (name: string, channelId = 'news'): Ask['values'] => ({
  ...workspace,
  channel_id: channelId,
  content_hash: hashOf(world.id(`message of ${name}`)),
  window_start: after(-3600),
});

/** Each question with what it is asked, and what the answer is. The ids are known when the world is built. */
const answers: Readonly<Record<string, () => readonly Ask[]>> = {
  'What is due in a workspace?': () => [
    {
      values: { ...workspace, now },
      rows: ['eight', 'nine', 'six', 'seven'].map((name) => ({ delivery_id: name })),
    },
    {
      values: { ...workspace, now: after(14) },
      rows: [{ delivery_id: 'eight' }, { delivery_id: 'nine' }],
    },
  ],
  'Which retries of a channel come next, and when?': () => [
    {
      values: { ...news, now },
      rows: [
        {
          available_at: 900,
          delivery_id: 'third',
          attempt: 1,
          last_error: {
            category: 'TRANSIENT',
            scope: 'delivery',
            code: 'busy',
            outcome: 'refused',
          },
        },
      ],
    },
  ],
  'Which slots of a channel are given out ahead?': () => [
    {
      values: slow,
      rows: [
        { slot: 15, delivery_id: 'six' },
        { slot: 25, delivery_id: 'seven' },
      ],
    },
    { values: news, rows: [] },
  ],
  'Which workspaces have something waiting?': () => [
    { values: {}, rows: [{ workspace_id: 'city' }, { workspace_id: 'town' }] },
  ],
  'How many sends of a channel are open?': () => [
    { values: slow, rows: [{ sending: '1' }] },
    { values: news, rows: [{ sending: '0' }] },
  ],
  'Which leases have run out?': () => [
    {
      values: { long_ago: after(36) },
      rows: ['city', 'town'].map((workspace_id) => ({
        workspace_id,
        channel_id: 'slow',
        run_id: 'run',
        lease_until: 35,
        open_count: 1,
      })),
    },
    { values: { long_ago: after(35) }, rows: [] },
  ],
  'Which slots did nobody come for?': () => [
    {
      values: { ...workspace, long_ago: after(16) },
      rows: [{ channel_id: 'slow', delivery_id: 'six', claimed_at: 5 }],
    },
  ],
  'Was this content sent to this channel within its dedup window?': () => [
    { values: contentOf('first'), rows: [{ delivery_id: 'first', sent_at: 1 }] },
    { values: { ...contentOf('first'), window_start: after(2) }, rows: [] },
    { values: contentOf('first', 'pets'), rows: [] },
    { values: contentOf('eight'), rows: [] },
  ],
  'Is this content on its way to this channel?': () => [
    { values: contentOf('eight'), rows: [{ delivery_id: 'eight', status: 'queued' }] },
    { values: contentOf('third'), rows: [{ delivery_id: 'third', status: 'retry' }] },
    { values: contentOf('first'), rows: [] },
  ],
  'Was this content ever sent to this channel, or suppressed?': () => [
    {
      values: contentOf('first'),
      rows: [
        { delivery_id: 'first', status: 'sent', sent_at: 1, occurrence: 1 },
        { delivery_id: 'again', status: 'deduped', sent_at: null, occurrence: null },
      ],
    },
    { values: contentOf('second'), rows: [] },
  ],
};

describe('the page of queries', () => {
  it('has every question answered by one of the files', () => {
    const sections = new Set(documentedQueries().map((each) => each.section));
    expect(sections).toEqual(new Set(Object.values(answeredSections).flat()));
  });
});

describe('the documented query answers:', () => {
  it.each(questionsOf(answeredSections.queue))('%s', async (question) => {
    const asks = answers[question]?.() ?? [];
    expect(asks).not.toEqual([]);
    for (const { values, rows } of asks) {
      expect(await world.ask(question, values)).toEqual(inOrder(sqlOf(question), rows));
    }
  });
});
