import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json } from '../../src/db/call.ts';
import {
  fill,
  oldEvents,
  sentDeliveries,
  vacuum,
  waitingDeliveries,
} from '../support/database/bulk-rows.ts';
import { addBacklog, addChannel, addWorkspace, after, start } from '../support/database/seed.ts';
import { least, meter, type Reading, usual } from '../support/database/statement-meter.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

/** One connection for all: it makes its plans while the tables are empty, and keeps them. */
let worker: pg.PoolClient;
let enqueuer: pg.PoolClient;

beforeAll(async () => {
  // No statistics, and none that autovacuum would gather meanwhile.
  await database.admin.query(`
    do $$ declare v_table regclass; begin
      for v_table in select oid::regclass from pg_class
        where relnamespace = 'outrider'::regnamespace and relkind = 'r'
      loop execute format('alter table %s set (autovacuum_enabled = off)', v_table); end loop;
    end $$`);
  worker = await database.service.connect();
  enqueuer = await database.admin.connect();
});

afterAll(async () => {
  worker.release();
  enqueuer.release();
});

const channelIds = ['c1', 'c2', 'c3', 'c4'];

async function workspaceWithChannels(workspaceId: string): Promise<void> {
  await addWorkspace(database.admin, workspaceId, { claim_per_channel: 1000 });
  for (const id of channelIds) {
    await addChannel(database.admin, workspaceId, id, { max_parallel: 1000 });
  }
  await enqueueAgain(workspaceId);
  await claim(workspaceId);
  await commit(workspaceId);
}

let posts = 0;

/** One new post to all channels. */
function enqueueOne(workspaceId: string): Promise<Reading> {
  posts += 1;
  return enqueue(workspaceId, `Post number ${posts}`);
}

/** The same post as ever; it has been sent, and all that it meets is its twins. */
function enqueueAgain(workspaceId: string): Promise<Reading> {
  return enqueue(workspaceId, 'The same as ever');
}

function enqueue(workspaceId: string, text: string): Promise<Reading> {
  const call = 'select * from outrider.enqueue_messages_and_deliveries($1, null, $2, $3, $4)';
  return meter(enqueuer, call, [workspaceId, 'push', json({ text }), start]);
}

/** All that is due; more than 400 never are. */
function claim(workspaceId: string): Promise<Reading> {
  const text = 'select * from outrider.claim_deliveries($1, $2, $3, null, $4)';
  return meter(worker, text, [workspaceId, 'run', 400, start]);
}

/** All that is being sent. */
async function commit(workspaceId: string): Promise<Reading> {
  const { rows } = await database.admin.query<{ delivery_id: string; claim_token: string }>(
    `select u.delivery_id, l.claim_token from outrider.leases l, unnest(l.delivery_ids) as u (delivery_id)
     where l.workspace_id = $1`,
    [workspaceId],
  );
  const outcomes = rows.map((row) => ({ ...row, ok: true, provider_message_id: '1' }));
  const text = 'select * from outrider.commit_outcomes($1, $2, $3)';
  return meter(worker, text, [workspaceId, json(outcomes), start]);
}

function nextWorkspaces(): Promise<Reading> {
  const text = 'select * from outrider.next_workspaces($1, $2, $3)';
  return meter(worker, text, ['dispatcher', 1000, start]);
}

interface Round {
  readonly enqueued: Reading;
  readonly repeated: Reading;
  readonly claimed: Reading;
  readonly committed: Reading;
}

/** A hundred posts to four channels go through. */
async function round(workspaceId: string): Promise<Round> {
  await addBacklog(database.admin, workspaceId, channelIds, 99);
  const enqueued = await enqueueOne(workspaceId);
  const claimed = await claim(workspaceId);
  const committed = await commit(workspaceId);
  expect([claimed.rows, committed.rows]).toEqual([400, 400]);
  const repeated = await enqueueAgain(workspaceId);
  return { enqueued, repeated, claimed, committed };
}

/** Five rounds, after a while of work and a vacuum. */
async function fiveRounds(workspaceId: string): Promise<Round[]> {
  await round(workspaceId);
  await vacuum(database.admin);
  await round(workspaceId); // plans anew, where the vacuum made it
  const rounds: Round[] = [];
  for (let n = 0; n < 5; n += 1) rounds.push(await round(workspaceId));
  return rounds;
}

/** What the cheapest of some rounds reads beyond a share of what was usual before. */
function excessOf(
  step: keyof Round,
  now: readonly Round[],
  before: readonly Round[],
  share: number,
): string[] {
  const of = (rounds: readonly Round[]): Reading[] => rounds.map((each) => each[step]);
  return excess(least(of(now)), usual(of(before)), share);
}

// A neighbour's open transaction keeps rows that are over from being cleared away; updates then need new
// places and index entries, and read up to three times the pages. A plan that goes wrong reads a hundred times.
const pagesByNeighbours = 5;

/** What is read beyond a share of what was read before. */
function excess(now: Reading, before: Reading, share: number): string[] {
  return [
    ...(now.passed > before.passed * share
      ? [`rows: ${now.passed} instead of ${before.passed}`]
      : []),
    ...(now.pages > before.pages * pagesByNeighbours
      ? [`pages: ${now.pages} instead of ${before.pages}`]
      : []),
    ...now.readWhole.map((table) => `all of ${table}`),
  ];
}

describe('without statistics, by plans that were made while the tables were empty', () => {
  const rounds: Round[] = [];

  beforeAll(async () => {
    await workspaceWithChannels('fresh');
    await enqueueOne('fresh');
    await claim('fresh');
    await commit('fresh');
    for (let n = 0; n < 50; n += 1) rounds.push(await round('fresh'));
  });

  it.each(['enqueued', 'repeated', 'claimed', 'committed'] as const)(
    'the last of 5,000 messages are %s at the cost of the first',
    (step) => {
      expect(excessOf(step, rounds.slice(-5), rounds.slice(1, 6), 1.25)).toEqual([]);
    },
  );

  it('no table is read from end to end', () => {
    const readings = rounds.flatMap((each) => Object.values<Reading>({ ...each }));
    expect(readings.flatMap((each) => each.readWhole)).toEqual([]);
  });

  it('a claim passes by few rows beside those that it takes', () => {
    const passed = rounds.map((each) => each.claimed.passed / each.claimed.rows);
    expect(Math.max(...passed)).toBeLessThan(5);
  });

  it('a claim costs no more when its channels have a backlog of 20,000', async () => {
    const bulk = { workspaceId: 'fresh', channelIds, count: 20_000 };
    await fill(database.admin, waitingDeliveries(bulk));
    const before = usual(rounds.slice(-5).map((each) => each.claimed));
    const now = [await claim('fresh'), await claim('fresh'), await claim('fresh')];
    expect(now.map((each) => each.rows)).toEqual([400, 400, 400]);
    expect(excess(least(now), before, 1.25)).toEqual([]);
  });
});

describe('a round costs no more', () => {
  // Events grow with every round: large from the start, their indexes gain no level between two rounds.
  beforeAll(async () => {
    await fill(database.admin, [oldEvents('fresh', 100_000)]);
  });

  const steps = ['enqueued', 'repeated', 'claimed', 'committed'] as const;

  async function excessWith(
    workspaceId: string,
    load: () => Promise<void>,
    judged: readonly (keyof Round)[] = steps,
  ): Promise<string[]> {
    await workspaceWithChannels(workspaceId);
    const before = await fiveRounds(workspaceId);
    await load();
    const now = await fiveRounds(workspaceId);
    return judged.flatMap((step) => excessOf(step, now, before, 1.15));
  }

  it('with 50,000 sent deliveries in the table', async () => {
    const workspaceId = 'history';
    const more = await excessWith(workspaceId, () =>
      fill(database.admin, [sentDeliveries({ workspaceId, channelIds, count: 50_000 })]),
    );
    expect(more).toEqual([]);
  });

  it('with a backlog of 20,000 in a paused channel', async () => {
    const workspaceId = 'paused';
    const load = async (): Promise<void> => {
      await addChannel(database.admin, workspaceId, 'quiet', { paused_until: after(3600) });
      const bulk = { workspaceId, channelIds: ['quiet'], count: 20_000 };
      await fill(database.admin, waitingDeliveries(bulk));
    };
    // One channel more is one more to enqueue for.
    const more = await excessWith(workspaceId, load, ['claimed', 'committed']);
    expect(more).toEqual([]);
  });

  it('with 20,000 deliveries that are scheduled for next week', async () => {
    const workspaceId = 'scheduled';
    const more = await excessWith(workspaceId, async () => {
      const bulk = { workspaceId, channelIds, count: 20_000 };
      await fill(database.admin, waitingDeliveries(bulk, after(7 * 86_400)));
    });
    expect(more).toEqual([]);
  });
});

describe('looking for workspaces with something due', () => {
  async function looks(): Promise<Reading[]> {
    await nextWorkspaces(); // plans anew, where the vacuum made it
    return [await nextWorkspaces(), await nextWorkspaces(), await nextWorkspaces()];
  }

  it('costs no more with 2,000 idle workspaces, and little with great backlogs', async () => {
    const before = usual(await looks());
    expect(before.rows).toBeGreaterThan(0);
    expect(before.passed).toBeLessThan(200);
    await database.admin.query(
      `insert into outrider.workspaces (workspace_id, name, created_at)
       select 'idle-' || n, 'idle', $1 from generate_series(1, 2000) n`,
      [start],
    );
    await vacuum(database.admin);
    expect(excess(least(await looks()), before, 1.05)).toEqual([]);
  });
});
