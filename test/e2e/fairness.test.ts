import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ensureEventPartitions } from '../../src/db/events.ts';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { wakeDispatchers } from '../../src/db/wake.ts';
import { openDatabase, type TestDatabase } from '../support/database.ts';
import { serviceUrl, startDispatcherProcess } from '../support/dispatcher-processes.ts';
import type { RunningDispatcher } from '../support/dispatchers.ts';
import { addFleet, addSenders, type FleetChannel, urlsOf } from '../support/fleet.ts';
import { addBacklog } from '../support/seed.ts';
import { startWatchedSandbox, type WatchedSandbox } from '../support/watched-sandbox.ts';

// One workspace has a backlog of a hundred thousand deliveries, another one posts now and then. How much
// later the second one's posts arrive is a ratio of medians. Both are measured in turns, so that whatever
// else the machine does falls on both, and anew when it did not, three times at most.

const backlogged = 'a';
const occasional = 'b';
const groupRate = 30;
const turns = 2;
const samplesPerTurn = 20;
const mostRounds = 3;

let database: TestDatabase;
let sandbox: WatchedSandbox;
let backlogChannels: FleetChannel[];
let channels: FleetChannel[];
let dispatchers: RunningDispatcher[];
let posted = 0;

beforeAll(async () => {
  database = await openDatabase();
  await ensureEventPartitions(database.service, 1);
  sandbox = await startWatchedSandbox();
  addSenders(sandbox);
  sandbox.telegram.simulator.control('limits', { chat: null, bot: null });
  const columns = { rate_rps: 1, max_parallel: 2 };
  const crowd = { workspaceId: backlogged, counts: { telegram: 40 }, columns };
  backlogChannels = await addFleet(database.admin, sandbox, crowd);
  await database.admin.query(
    `insert into outrider.platform_limits (workspace_id, platform, rate_group, rate_rps, updated_at)
     values ($1, 'telegram', 'telegram', $2, now())`,
    [backlogged, groupRate],
  );
  const few = { workspaceId: occasional, counts: { telegram: 3 } };
  channels = await addFleet(database.admin, sandbox, few);
  const setting = { url: serviceUrl(database), providers: urlsOf(sandbox), concurrency: 30 };
  dispatchers = await Promise.all([1, 2, 3].map(() => startDispatcherProcess(setting)));
}, 60_000);

afterAll(async () => {
  await Promise.all(dispatchers.map((each) => each.stop()));
  await sandbox.close();
  await database.close();
});

/** Hands a post in and waits until all chats of the workspace show it; answers in milliseconds. */
async function deliverOne(): Promise<number> {
  posted += 1;
  const text = `Post ${posted}`;
  const open = new Set(channels.map((each) => each.targetId));
  const shown = new Promise<void>((resolve) => {
    sandbox.onReply = (call) => {
      if (call.text === text && call.chat !== undefined && open.delete(call.chat)) {
        if (open.size === 0) resolve();
      }
    };
  });
  const begun = performance.now();
  await enqueueMessagesAndDeliveries(database.service, {
    workspaceId: occasional,
    endpointId: null,
    kind: 'push',
    rawPayload: { text },
  });
  await wakeDispatchers(database.service);
  await shown;
  return performance.now() - begun;
}

/** Posts now and then, at no particular moment of anybody's rhythm; answers with how long each took. */
async function deliverMany(count: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n += 1) {
    await pause(50 + ((n * 37) % 100));
    took.push(await deliverOne());
  }
  return took;
}

function median(values: readonly number[]): number {
  const ordered = values.toSorted((one, other) => one - other);
  return ordered[Math.floor(ordered.length / 2)] ?? Number.NaN;
}

const backlogSeen = (): number => sandbox.calls.filter((call) => call.text === 'Lost').length;

/** Lets the backlog flow, or holds it; waits until the chats show it. */
async function letFlow(flows: boolean): Promise<void> {
  await database.admin.query(
    'update outrider.workspaces set status = $2::outrider.workspace_status where workspace_id = $1',
    [backlogged, flows ? 'active' : 'paused'],
  );
  await wakeDispatchers(database.service);
  for (let before = Number.NaN; ; ) {
    const now = backlogSeen();
    if (now > before === flows && !Number.isNaN(before)) return;
    before = now;
    await pause(300);
  }
}

/** Runs the work; answers with its result and with how many of the backlog were sent in each second. */
async function paced<T>(work: () => Promise<T>): Promise<{ result: T; perSecond: number }> {
  const [sent, begun] = [backlogSeen(), performance.now()];
  const result = await work();
  const perSecond = ((backlogSeen() - sent) * 1000) / (performance.now() - begun);
  return { result, perSecond };
}

async function waiting(): Promise<number> {
  const row = await queryRow(
    database.admin,
    z.object({ count: z.number() }),
    'select count(*)::int from outrider.delivery_queue where workspace_id = $1',
    [backlogged],
  );
  return row.count;
}

const fixed = (value: number): string => value.toFixed(1);

interface Measured {
  readonly idleMs: number;
  readonly besideMs: number;
  readonly perSecond: number;
}

async function measure(): Promise<Measured> {
  const idle: number[] = [];
  const beside: number[] = [];
  const paces: number[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    idle.push(...(await deliverMany(samplesPerTurn)));
    await fillBacklog();
    await letFlow(true);
    const { result, perSecond } = await paced(() => deliverMany(samplesPerTurn));
    beside.push(...result);
    paces.push(perSecond);
    await letFlow(false);
  }
  return { idleMs: median(idle), besideMs: median(beside), perSecond: median(paces) };
}

/** Once: the first turn is measured before there is any backlog. */
async function fillBacklog(): Promise<void> {
  if ((await waiting()) > 0) return;
  const ids = backlogChannels.map((each) => each.channelId);
  await addBacklog(database.admin, backlogged, ids, 100_000 / ids.length);
}

describe('a workspace beside a backlog of 100,000', () => {
  it('has its posts delivered within twice the time of an idle system', async () => {
    await deliverOne(); // connections and plans are made once
    let ratio = Infinity;
    for (let round = 1; round <= mostRounds && ratio > 2; round += 1) {
      const { idleMs, besideMs, perSecond } = await measure();
      ratio = besideMs / idleMs;
      console.log(
        `fairness: idle ${fixed(idleMs)} ms; beside ${await waiting()} waiting, sent at ${fixed(perSecond)}/s by three dispatchers, ${fixed(besideMs)} ms: × ${ratio.toFixed(2)}`,
      );
    }
    expect(await waiting()).toBeGreaterThan(90_000);
    expect(ratio).toBeLessThanOrEqual(2);
  });

  it('has its posts delivered beside a backlog without any pace', async () => {
    await database.admin.query(
      'update outrider.channels set rate_rps = null, max_parallel = 20 where workspace_id = $1',
      [backlogged],
    );
    await database.admin.query(
      'update outrider.platform_limits set rate_rps = null where workspace_id = $1',
      [backlogged],
    );
    await letFlow(true);
    // What was given its slot before the limits were lifted keeps it.
    while ((await paced(() => pause(500))).perSecond < 3 * groupRate);
    await deliverMany(5); // until all connections are made
    const { result, perSecond } = await paced(() => deliverMany(samplesPerTurn));
    expect(await waiting()).toBeGreaterThan(0);
    console.log(
      `fairness: beside a backlog without pace, sent at ${fixed(perSecond)}/s: ${fixed(median(result))} ms`,
    );
  });
});
