import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { type Requeued, requeueDeliveries } from '../../src/db/operate.ts';
import { openPool, type Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addWorkspace, start } from '../support/database/seed.ts';
import { begin } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { type Accepted, sendAll, take } from '../support/posts/intake.ts';

const clients = 20;
const rounds = 200;
const channels = ['c1', 'c2', 'c3'];

const database = await useDatabase();
let pool: pg.Pool;

beforeAll(async () => {
  pool = openPool({ url: database.url, applicationName: 'outrider test', max: clients });
  await addWorkspace(database.admin, 'race');
  for (const id of channels) await addChannel(database.admin, 'race', id);
});

afterAll(() => pool.end());

describe(`${clients} clients with the same content at once`, () => {
  it(`queue one delivery for each channel, ${rounds} times over, also while it is being sent`, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const post = { text: `Post number ${round}` };
      const sender = round % 2 === 0 ? [] : [sendAll(pool, 'race'), sendAll(pool, 'race')];
      const answers = await Promise.all([
        ...Array.from({ length: clients }, () => take(pool, 'race', post, start)),
        ...sender,
      ]);
      judge(answers.filter((answer) => answer !== undefined));
      await sendAll(pool, 'race');
    }
    const rows = await queryRows(
      database.admin,
      z.object({ count: z.string(), status: z.string() }),
      "select count(*), status::text from outrider.deliveries where workspace_id = 'race' group by status",
    );
    expect(rows).toEqual([{ count: String(rounds * channels.length), status: 'sent' }]);
  }, 120_000);
});

describe('a repeat and a requeue of the failed delivery', () => {
  const sessions = useSessions();
  let pair = '';

  beforeEach(async ({ task }) => {
    pair = `pair-${task.id}`;
    await addWorkspace(database.admin, pair);
    await addChannel(database.admin, pair, 'c1');
  });

  async function failedDelivery(post: unknown): Promise<string> {
    await take(pool, pair, post, start);
    const request = { workspaceId: pair, runId: 'run', limit: 1 };
    const [held] = await claimDeliveries(pool, request, start);
    if (held === undefined) throw new Error('nothing was claimed');
    const error = { category: 'PERMANENT', scope: 'delivery', code: '400' } as const;
    await commitOutcomes(pool, pair, [{ ...held, ok: false, error }], start);
    return held.deliveryId;
  }

  function requeue(client: Queryable, deliveryId: string): Promise<Requeued[]> {
    const request = { workspaceId: pair, deliveryIds: [deliveryId], operator: 'a', reason: 'b' };
    return requeueDeliveries(client, request, start);
  }

  it('come one after the other: the repeat that comes second is told of the requeued one', async () => {
    const deliveryId = await failedDelivery({ text: 'one' });
    const operator = await sessions.open(database.service);
    expect(await requeue(operator.client, deliveryId)).toMatchObject([{ requeued: true }]);
    const enqueuer = await sessions.open(database.service);
    const repeat = begin(take(enqueuer.client, pair, { text: 'one' }, start));
    await enqueuer.waitsFor(operator, repeat);
    await operator.commit();
    expect((await repeat).channels).toEqual([
      { channelId: 'c1', verdict: 'deduped', because: 'inflight', deliveryId, until: null },
    ]);
    await enqueuer.commit();
  });

  it('come one after the other: the requeue that comes second is refused', async () => {
    const deliveryId = await failedDelivery({ text: 'two' });
    const enqueuer = await sessions.open(database.service);
    await take(enqueuer.client, pair, { text: 'two' }, start);
    const operator = await sessions.open(database.service);
    const late = begin(requeue(operator.client, deliveryId));
    await operator.waitsFor(enqueuer, late);
    await enqueuer.commit();
    expect(await late).toMatchObject([{ requeued: false }]);
    await operator.commit();
  });
});

/** One client queued each channel; all others were told by which delivery they were suppressed. */
function judge(answers: readonly Accepted[]): void {
  expect(new Set(answers.map((answer) => answer.messageId)).size).toBe(1);
  for (const channelId of channels) {
    const verdicts = answers.map((answer) =>
      answer.channels.find((each) => each.channelId === channelId),
    );
    const [queued, ...more] = verdicts.filter((each) => each?.verdict === 'queued');
    expect(more).toEqual([]);
    if (queued?.verdict !== 'queued') throw new Error(`nobody queued ${channelId}`);
    const suppressed = verdicts.filter((each) => each?.verdict === 'deduped');
    expect(suppressed).toHaveLength(clients - 1);
    for (const each of suppressed) {
      expect(each?.verdict === 'deduped' && each.deliveryId).toBe(queued.deliveryId);
    }
  }
}
