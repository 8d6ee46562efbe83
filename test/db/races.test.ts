import type pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import {
  addBacklog,
  addChannel,
  addNewWorkspace,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { begin, type Session } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { failed, sent } from '../support/queue/outcomes.ts';
import { agreeing, countQueue } from '../support/queue/queue-counts.ts';

const database = await useDatabase();
let workspace = '';
const sessions = useSessions();

beforeEach(async () => {
  workspace = await addNewWorkspace(database);
});

function worker(options?: { wait: boolean }): Promise<Session> {
  return sessions.open(database.service, options);
}

function operator(): Promise<Session> {
  return sessions.open(database.admin);
}

async function channel(columns = {}, id = 'c1'): Promise<void> {
  await addChannel(database.admin, workspace, id, columns);
}

async function backlog(deliveries: number, channels = ['c1']): Promise<void> {
  await addBacklog(database.admin, workspace, channels, deliveries);
}

/** In order of their ids. */
async function claim(
  client: pg.PoolClient | pg.Pool,
  limit = 10,
  now = start,
): Promise<ClaimedDelivery[]> {
  const claimed = await claimDeliveries(
    client,
    { workspaceId: workspace, runId: 'run', limit },
    now,
  );
  return claimed.toSorted((one, other) => (one.deliveryId < other.deliveryId ? -1 : 1));
}

async function expectQueueToAgree(expected: { sending: number; waiting: number }): Promise<void> {
  expect(await countQueue(database.admin, workspace)).toEqual(agreeing(expected));
}

async function statuses(): Promise<string[]> {
  const { rows } = await database.admin.query<{ status: string }>(
    'select status::text from outrider.deliveries where workspace_id = $1 order by delivery_id',
    [workspace],
  );
  return rows.map((row) => row.status);
}

describe('two claims at once', () => {
  it('of one channel come one after the other, and the second counts what the first took', async () => {
    await channel({ max_parallel: 3 });
    await backlog(10);
    const [a, b] = [await worker(), await worker()];
    expect(await claim(a.client, 2)).toHaveLength(2);
    const second = begin(claim(b.client));
    await b.waitsFor(a);
    await a.commit();
    expect(await second).toHaveLength(1);
    await b.commit();
    await expectQueueToAgree({ sending: 3, waiting: 7 });
  });

  it('leave everything to the second when the first is undone', async () => {
    await channel();
    await backlog(3);
    const [a, b] = [await worker(), await worker()];
    const first = await claim(a.client);
    const second = begin(claim(b.client));
    await b.waitsFor(a);
    await a.rollback();
    const ids = (claimed: ClaimedDelivery[]): string[] => claimed.map((each) => each.deliveryId);
    expect(ids(await second)).toEqual(ids(first));
    expect((await second).map((each) => each.attempt)).toEqual([1, 1, 1]);
  });

  it('in two workspaces do not wait for each other', async () => {
    await channel();
    await backlog(1);
    const [a, b] = [await worker(), await worker({ wait: false })];
    expect(await claim(a.client)).toHaveLength(1);
    workspace = `${workspace}-b`;
    await addWorkspace(database.admin, workspace);
    await channel();
    await backlog(1);
    expect(await claim(b.client)).toHaveLength(1);
  });
});

describe('a claim and a commit of one channel', () => {
  it('do not wait for each other when the claim is first', async () => {
    await channel();
    await backlog(8);
    const early = await claim(database.service, 2);
    const [a, b] = [await worker(), await worker({ wait: false })];
    expect(await claim(a.client, 2)).toHaveLength(2);
    const verdicts = await commitOutcomes(b.client, workspace, early.map(sent), start);
    expect(verdicts.map((verdict) => verdict.became)).toEqual(['sent', 'sent']);
    await Promise.all([a.commit(), b.commit()]);
    await expectQueueToAgree({ sending: 2, waiting: 4 });
  });

  it.each([
    ['sent', sent, 3],
    ['retry', (held: ClaimedDelivery) => failed(held), 5],
    ['failed_permanent', (held: ClaimedDelivery) => failed(held, { category: 'PERMANENT' }), 3],
  ] as const)(
    'do not wait for each other when the commit is first: %s',
    async (became, outcome, waiting) => {
      await channel();
      await backlog(8);
      const early = await claim(database.service, 2);
      const [a, b] = [await worker(), await worker({ wait: false })];
      const verdicts = await commitOutcomes(
        a.client,
        workspace,
        early.map((held) => outcome(held)),
        start,
      );
      expect(verdicts.map((verdict) => verdict.became)).toEqual([became, became]);
      expect(await claim(b.client, 3)).toHaveLength(3);
      await Promise.all([a.commit(), b.commit()]);
      await expectQueueToAgree({ sending: 3, waiting });
    },
  );

  it('leave no room before the commit is done', async () => {
    await channel({ max_parallel: 1 });
    await backlog(2);
    const first = await claim(database.service);
    const a = await worker();
    await commitOutcomes(a.client, workspace, first.map(sent), start);
    expect(await claim(database.service)).toEqual([]);
    await a.commit();
    expect(await claim(database.service)).toHaveLength(1);
  });
});

describe('a claim and an operator', () => {
  const pause = 'update outrider.channels set paused_until = $2 where workspace_id = $1';

  it('who pauses the channel first: nothing is sent any more', async () => {
    await channel();
    await backlog(2);
    const [a, b] = [await operator(), await worker()];
    await a.client.query(pause, [workspace, after(60)]);
    const claimed = begin(claim(b.client));
    await b.waitsFor(a);
    await a.commit();
    expect(await claimed).toEqual([]);
    await b.commit();
    await expectQueueToAgree({ sending: 0, waiting: 2 });
  });

  it('who pauses the channel second: slots given out ahead are taken back', async () => {
    await channel({ rate_rps: 1, max_parallel: 3 });
    await backlog(3);
    const [a, b] = [await worker(), await operator()];
    expect(await claim(a.client)).toHaveLength(1);
    const paused = begin(b.client.query(pause, [workspace, after(60)]));
    await b.waitsFor(a);
    await a.commit();
    await paused;
    await b.commit();
    expect(await claim(database.service, 10, after(1))).toEqual([]);
    expect((await statuses()).toSorted()).toEqual(['queued', 'queued', 'sending']);
    await expectQueueToAgree({ sending: 1, waiting: 2 });
  });

  it.each([
    ['withdraws', "status = 'failed_permanent', failed_at = updated_at", 0],
    ['postpones', `not_before = '${after(3600)}'`, 1],
  ])('who %s a delivery first: it is not sent, and nobody waits', async (_, change, waiting) => {
    await channel();
    await backlog(2);
    const [a, b] = [await operator(), await worker({ wait: false })];
    const text = `update outrider.deliveries set ${change} where delivery_id = (
      select delivery_id from outrider.deliveries where workspace_id = $1 limit 1)`;
    await a.client.query(text, [workspace]);
    expect(await claim(b.client)).toHaveLength(1);
    await b.commit();
    await a.commit();
    expect(await claim(database.service)).toEqual([]);
    await expectQueueToAgree({ sending: 1, waiting });
    expect(await claim(database.service, 10, after(3600))).toHaveLength(waiting);
  });

  it('who puts off a delivery that waits to be tried again: it is not sent before', async () => {
    await channel();
    await backlog(1);
    const held = await claim(database.service);
    await commitOutcomes(
      database.service,
      workspace,
      held.map((each) => failed(each)),
      start,
    );
    const text =
      "update outrider.deliveries set next_retry_at = $2 where workspace_id = $1 and status = 'retry'";
    await database.admin.query(text, [workspace, after(3600)]);
    expect(await claim(database.service, 10, after(3599))).toEqual([]);
    expect(await claim(database.service, 10, after(3600))).toHaveLength(1);
  });

  it('who withdraws a delivery second: it is being sent, and stays so', async () => {
    await channel();
    await backlog(1);
    const [a, b] = [await worker(), await operator()];
    expect(await claim(a.client)).toHaveLength(1);
    const text = `update outrider.deliveries set status = 'failed_permanent', failed_at = updated_at
      where workspace_id = $1 and status = 'queued'`;
    const withdrawn = begin(b.client.query(text, [workspace]));
    await b.waitsFor(a);
    await a.commit();
    expect((await withdrawn).rowCount).toBe(0);
  });
});

describe('a claim that meets a delivery which somebody has locked', () => {
  const lock = `select from outrider.deliveries where delivery_id in (
    select q.delivery_id from outrider.delivery_queue q
    where q.workspace_id = $1 and q.channel_id = 'c1' order by q.available_at, q.seq limit $2)
    for no key update`;

  /** The deliveries in order of arrival: whether each is being sent. */
  async function sending(): Promise<boolean[]> {
    const { rows } = await database.admin.query<{ sending: boolean }>(
      `select status = 'sending' as sending from outrider.deliveries
       where workspace_id = $1 order by channel_id, seq`,
      [workspace],
    );
    return rows.map((row) => row.sending);
  }

  it('takes all others at once, of its channel and of others', async () => {
    await channel();
    await channel({}, 'c2');
    await backlog(3, ['c1', 'c2']);
    const [a, b] = [await operator(), await worker({ wait: false })];
    await a.client.query(lock, [workspace, 1]);
    expect(await claim(b.client)).toHaveLength(5);
    await b.commit();
    expect(await sending()).toEqual([false, true, true, true, true, true]);
    await expectQueueToAgree({ sending: 5, waiting: 1 });
    await a.rollback();
    expect(await claim(database.service)).toHaveLength(1);
    await expectQueueToAgree({ sending: 6, waiting: 0 });
  });

  it('takes the next one where the channel has room for one', async () => {
    await channel({ max_parallel: 1 });
    await backlog(3);
    const [a, b] = [await operator(), await worker({ wait: false })];
    await a.client.query(lock, [workspace, 2]);
    expect(await claim(b.client)).toHaveLength(1);
    await b.commit();
    expect(await sending()).toEqual([false, false, true]);
  });

  it('passes over a thousand of a channel, and leaves the channel alone for now when there are more', async () => {
    await channel();
    await backlog(1002);
    const [a, b] = [await operator(), await worker({ wait: false })];
    await a.client.query(lock, [workspace, 1000]);
    expect(await claim(b.client, 1)).toHaveLength(1);
    await b.rollback();
    await a.client.query(lock, [workspace, 1001]);
    expect(await claim(database.service, 1)).toEqual([]);
  });

  it('spends no slot on it', async () => {
    await channel({ rate_rps: 1 });
    await backlog(3);
    const [a, b] = [await operator(), await worker({ wait: false })];
    await a.client.query(lock, [workspace, 1]);
    expect(await claim(b.client)).toHaveLength(1);
    await b.commit();
    await a.rollback();
    const slots = `select not_before from outrider.deliveries where workspace_id = $1 and status in ('sending', 'claimed')
      order by seq`;
    expect((await database.admin.query(slots, [workspace])).rows).toEqual([
      { not_before: '2026-03-02 10:00:00+00' },
      { not_before: '2026-03-02 10:00:01+00' },
    ]);
    await claim(database.service, 10, after(1));
    expect((await database.admin.query(slots, [workspace])).rows).toEqual([
      { not_before: '2026-03-02 10:00:02+00' },
      { not_before: '2026-03-02 10:00:00+00' },
      { not_before: '2026-03-02 10:00:01+00' },
    ]);
    await expectQueueToAgree({ sending: 2, waiting: 1 });
  });

  it('leaves it its slot where it rests with one, and takes it when it is free', async () => {
    await channel({ rate_rps: 1, max_parallel: 3 });
    await backlog(3);
    expect(await claim(database.service)).toHaveLength(1);
    const [a, b] = [await operator(), await worker({ wait: false })];
    await a.client.query(lock, [workspace, 1]);
    expect(await claim(b.client, 10, after(2))).toHaveLength(1);
    await b.commit();
    expect(await sending()).toEqual([true, false, true]);
    await a.rollback();
    expect(await claim(database.service, 10, after(3))).toHaveLength(1); // a second after the other
    await expectQueueToAgree({ sending: 3, waiting: 0 });
  });

  it('lets it rest where its channel has closed, and takes its slot back when it is free', async () => {
    await channel({ rate_rps: 1, max_parallel: 3 });
    await backlog(3);
    await claim(database.service);
    const pause = 'update outrider.channels set paused_until = $2 where workspace_id = $1';
    await database.admin.query(pause, [workspace, after(60)]);
    const [a, b] = [await operator(), await worker({ wait: false })];
    await a.client.query(lock, [workspace, 1]);
    expect(await claim(b.client, 10, after(1))).toEqual([]);
    await b.commit();
    expect((await statuses()).toSorted()).toEqual(['claimed', 'queued', 'sending']);
    await a.rollback();
    expect(await claim(database.service, 10, after(1))).toEqual([]);
    expect((await statuses()).toSorted()).toEqual(['queued', 'queued', 'sending']);
  });

  it('passes it over when its time has just come', async () => {
    await channel();
    await backlog(2);
    const at = `update outrider.deliveries set not_before = '${after(60)}' where workspace_id = $1`;
    await database.admin.query(at, [workspace]);
    const [a, b] = [await operator(), await worker({ wait: false })];
    const withdraw = `update outrider.deliveries set status = 'failed_permanent', failed_at = updated_at
      where delivery_id = (select delivery_id from outrider.deliveries where workspace_id = $1 limit 1)`;
    await a.client.query(withdraw, [workspace]);
    expect(await claim(b.client, 10, after(60))).toHaveLength(1);
    await b.commit();
    await a.rollback();
    expect(await claim(database.service, 10, after(60))).toHaveLength(1);
    await expectQueueToAgree({ sending: 2, waiting: 0 });
  });
});

describe('a claim in progress', () => {
  it('does not hold an enqueue up, and does not see it', async () => {
    await channel();
    await backlog(2);
    const [a, b] = [await worker(), await sessions.open(database.admin, { wait: false })];
    expect(await claim(a.client)).toHaveLength(2);
    await addBacklog(b.client, workspace, ['c1'], 3);
    expect(await claim(a.client)).toEqual([]);
    await b.commit();
    expect(await claim(a.client)).toHaveLength(3);
  });
});
