import type pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type Outcome, type Verdict } from '../../src/db/commit.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { addBacklog, addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { begin, type Session } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { failed, sent } from '../support/queue/outcomes.ts';
import { agreeing, countQueue } from '../support/queue/queue-counts.ts';

const database = await useDatabase();
let workspace = '';
const sessions = useSessions();

/** When every lease has run out. */
const late = after(400);

beforeEach(async () => {
  workspace = await addNewWorkspace(database);
});

function worker(options?: { wait: boolean }): Promise<Session> {
  return sessions.open(database.service, options);
}

/** Somebody who holds one delivery, as a commit does that has come no further. */
async function holderOf(delivery: { deliveryId: string }): Promise<Session> {
  const holder = await sessions.open(database.admin);
  const text = 'select from outrider.deliveries where delivery_id = $1 for no key update';
  await holder.client.query(text, [delivery.deliveryId]);
  return holder;
}

/** In order of their ids. */
async function claim(client: pg.PoolClient | pg.Pool, now = start): Promise<ClaimedDelivery[]> {
  const request = { workspaceId: workspace, runId: 'run', limit: 10 };
  const claimed = await claimDeliveries(client, request, now);
  return claimed.toSorted((one, other) => (one.deliveryId < other.deliveryId ? -1 : 1));
}

/** A claim of that many deliveries of one channel. */
async function held(deliveries: number): Promise<ClaimedDelivery[]> {
  await addChannel(database.admin, workspace, 'c1');
  await addBacklog(database.admin, workspace, ['c1'], deliveries);
  const claimed = await claim(database.service);
  expect(claimed).toHaveLength(deliveries);
  return claimed;
}

/** Keeps its locks no longer than it must. */
async function commitAtOnce(session: Session, outcomes: readonly Outcome[]): Promise<Verdict[]> {
  const verdicts = await commitOutcomes(session.client, workspace, outcomes, start);
  await session.commit();
  return verdicts;
}

function became(verdicts: readonly Verdict[]): Verdict['became'][] {
  return verdicts.map((verdict) => verdict.became);
}

async function expectQueueToAgree(expected: { sending: number; waiting: number }): Promise<void> {
  expect(await countQueue(database.admin, workspace)).toEqual(agreeing(expected));
}

describe('a recovery', () => {
  it('leaves a claim alone that is being committed, and takes what is left of it afterwards', async () => {
    const deliveries = await held(3);
    const [a, b] = [await worker(), await worker({ wait: false })];
    await commitOutcomes(a.client, workspace, deliveries.slice(0, 1).map(sent), late);
    expect(await recoverLeases(b.client, workspace, late)).toEqual([]);
    await Promise.all([a.commit(), b.commit()]);
    expect(await recoverLeases(database.service, workspace, late)).toHaveLength(2);
    await expectQueueToAgree({ sending: 0, waiting: 2 });
  });

  it('does not wait for a delivery that somebody holds, and takes it when it is let go', async () => {
    const [first, ...others] = await held(3);
    if (first === undefined) throw new Error('nothing was claimed');
    const a = await holderOf(first);
    const b = await worker({ wait: false });
    expect(await recoverLeases(b.client, workspace, late)).toHaveLength(others.length);
    await b.commit();
    await expectQueueToAgree({ sending: 1, waiting: 2 });
    await a.rollback();
    expect(await recoverLeases(database.service, workspace, late)).toEqual([
      { deliveryId: first.deliveryId, became: 'retry' },
    ]);
    await expectQueueToAgree({ sending: 0, waiting: 3 });
  });

  it('makes the commit stale that comes second', async () => {
    const deliveries = await held(2);
    const [a, b] = [await worker(), await worker()];
    expect(await recoverLeases(a.client, workspace, late)).toHaveLength(2);
    const verdicts = begin(commitOutcomes(b.client, workspace, deliveries.map(sent), late));
    await b.waitsFor(a);
    await a.commit();
    expect(became(await verdicts)).toEqual([null, null]);
    await b.commit();
    await expectQueueToAgree({ sending: 0, waiting: 2 });
  });

  it('that is undone leaves the claim to its sender', async () => {
    const deliveries = await held(2);
    const [a, b] = [await worker(), await worker()];
    expect(await recoverLeases(a.client, workspace, late)).toHaveLength(2);
    const verdicts = begin(commitOutcomes(b.client, workspace, deliveries.map(sent), late));
    await b.waitsFor(a);
    await a.rollback();
    expect(became(await verdicts)).toEqual(['sent', 'sent']);
    await b.commit();
    await expectQueueToAgree({ sending: 0, waiting: 0 });
  });
});

describe('a recovery and a claim of slots that nobody came for', () => {
  /** Two deliveries rest; the slots of both are long past. */
  async function resting(): Promise<{ deliveryId: string }[]> {
    await addChannel(database.admin, workspace, 'c1', { rate_rps: 1, max_parallel: 3 });
    await addBacklog(database.admin, workspace, ['c1'], 3);
    const first = await claim(database.service);
    await commitOutcomes(database.service, workspace, first.map(sent), start);
    await database.admin.query(
      'update outrider.channels set rate_rps = null where workspace_id = $1',
      [workspace],
    );
    const { rows } = await database.admin.query<{ deliveryId: string }>(
      `select delivery_id as "deliveryId" from outrider.deliveries
       where workspace_id = $1 and status = 'claimed' order by not_before`,
      [workspace],
    );
    expect(rows).toHaveLength(2);
    return rows;
  }

  it('send each delivery once when the recovery is first', async () => {
    await resting();
    const [a, b] = [await worker(), await worker()];
    const recovered = await recoverLeases(a.client, workspace, late);
    const claimed = begin(claim(b.client, late));
    if (recovered.length > 0) await b.waitsFor(a);
    await a.commit();
    const taken = await claimed;
    await b.commit();
    await expectQueueToAgree({ sending: taken.length, waiting: 2 - taken.length });
    expect([...taken, ...(await claim(database.service, late))]).toHaveLength(2);
  });

  it('wait neither for each other nor for whoever holds one of them', async () => {
    const [first, second] = await resting();
    if (first === undefined || second === undefined) throw new Error('nothing rests');
    const [a, b] = [await worker({ wait: false }), await worker({ wait: false })];
    const holder = await holderOf(first);
    expect(await claim(a.client, late)).toMatchObject([second]);
    expect(await recoverLeases(b.client, workspace, late)).toEqual([]);
    await Promise.all([a.commit(), b.commit()]);
    expect(await recoverLeases(database.service, workspace, late)).toEqual([]);
    await holder.commit();
    expect(await recoverLeases(database.service, workspace, late)).toMatchObject([first]);
    await expectQueueToAgree({ sending: 1, waiting: 1 });
  });
});

describe('two commits', () => {
  it.each([
    ['sent', sent, 'sent', 0],
    ['failed', failed, 'retry', 3],
  ] as const)(
    'of the same %s deliveries in opposite orders: one is recorded, the other is stale',
    async (_, outcomeOf, outcome, waiting) => {
      const deliveries = await held(3);
      const holder = await holderOf(deliveries[1] ?? { deliveryId: '' });
      const [a, b] = [await worker(), await worker()];
      const outcomes = deliveries.map((each) => outcomeOf(each));
      const forwards = begin(commitOutcomes(a.client, workspace, outcomes, start));
      await a.waitsFor(holder);
      const again = begin(commitOutcomes(b.client, workspace, outcomes.toReversed(), start));
      await b.waitsFor(a, again);
      await holder.commit();
      expect(became(await forwards)).toEqual([outcome, outcome, outcome]);
      await a.commit();
      expect(became(await again)).toEqual([null, null, null]);
      await b.commit();
      await expectQueueToAgree({ sending: 0, waiting });
    },
  );

  it('of one claim, each with its own deliveries, end its lease together', async () => {
    const deliveries = await held(4);
    const [a, b] = [await worker(), await worker()];
    await commitOutcomes(a.client, workspace, deliveries.slice(0, 2).map(sent), start);
    const rest = deliveries.slice(2).map((each) => failed(each));
    const others = begin(commitOutcomes(b.client, workspace, rest, start));
    await b.waitsFor(a);
    await a.commit();
    expect(became(await others)).toEqual(['retry', 'retry']);
    await b.commit();
    await expectQueueToAgree({ sending: 0, waiting: 2 });
    const { rows } = await database.admin.query(
      'select from outrider.leases where workspace_id = $1',
      [workspace],
    );
    expect(rows).toEqual([]);
  });

  describe('over two channels, in each of which both have something', () => {
    let of: (channelId: string, index: number) => ClaimedDelivery;

    beforeEach(async () => {
      for (const id of ['c1', 'c2']) {
        await addChannel(database.admin, workspace, id);
      }
      await addBacklog(database.admin, workspace, ['c1', 'c2'], 2);
      const claimed = await claim(database.service);
      of = (channelId, index) => {
        const found = claimed.filter((each) => each.channel.channelId === channelId)[index];
        if (found === undefined) throw new Error(`too little was claimed of ${channelId}`);
        return found;
      };
    });

    it.each([
      ['leases', {}, 'retry', 'c1', 0],
      ['error streaks', { category: 'PERMANENT', scope: 'channel' }, 'failed_permanent', 'c2', 1],
    ] as const)('take the %s in one order', async (_, error, failure, stop, streak) => {
      await database.admin.query(
        'update outrider.channels set error_streak = $2 where workspace_id = $1',
        [workspace, streak],
      );
      const one = [failed(of('c2', 0), error), sent(of('c1', 0))];
      const other = [failed(of('c1', 1), error), sent(of('c2', 1))];
      const [holder, a, b] = [await holderOf(of(stop, 0)), await worker(), await worker()];
      const first = begin(commitAtOnce(a, one));
      await a.waitsFor(holder);
      const second = begin(commitAtOnce(b, other));
      await b.waitsFor(a, second);
      await holder.commit();
      expect(became(await first)).toEqual([failure, 'sent']);
      expect(became(await second)).toEqual([failure, 'sent']);
      await expectQueueToAgree({ sending: 0, waiting: failure === 'retry' ? 2 : 0 });
    });
  });
});
