import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import type { Deliver } from '../../src/dispatch/deliver.ts';
import { type Dispatcher, startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { silentLog } from '../../src/log.ts';
import { addBacklog, addChannel, addWorkspace } from '../support/database/seed.ts';
import { WatchedClient } from '../support/database/watched-client.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { sent } from '../support/queue/outcomes.ts';
import { statusesOf } from '../support/sandbox/sandbox-posts.ts';
import { createManualClock, type ManualClock } from '../support/time/manual-clock.ts';

// A dispatcher whose sends end at once until they hang. Its clock stands still: all that has ended has just ended.

const backlog = 200;
const concurrency = 5;

const database = await useDatabase();
let client: WatchedClient;
let clock: ManualClock;
let dispatcher: Dispatcher;
let workspaceId: string;
let underWay: number;
let most: number;
let going: PromiseWithResolvers<void>;

beforeEach(() => {
  workspaceId = database.newWorkspaceId();
  underWay = 0;
  most = 0;
  going = Promise.withResolvers();
});

afterEach(async () => {
  going.resolve();
  await dispatcher.stop();
  await database.admin.query("update outrider.workspaces set status = 'paused'");
});

/** So many sends end at once; the others when the test lets them go. */
function hangingAfter(number: number): Deliver {
  let begun = 0;
  return async (_, delivery) => {
    begun += 1;
    underWay += 1;
    most = Math.max(most, underWay);
    if (begun > number) await going.promise;
    underWay -= 1;
    return sent(delivery);
  };
}

async function start(deliver: Deliver, channels: Record<string, unknown>[]): Promise<void> {
  await addWorkspace(database.admin, workspaceId);
  const ids = channels.map((_, n) => `c${n}`);
  for (const [n, columns] of channels.entries()) {
    await addChannel(database.admin, workspaceId, ids[n] ?? '', columns);
  }
  await addBacklog(database.admin, workspaceId, ids, backlog / ids.length);
  client = new WatchedClient(database.service);
  clock = createManualClock();
  const bounds = { concurrency, claimAhead: 50, drainMs: 600_000, pollMs: 20 };
  dispatcher = startDispatcher({ client, deliver, log: silentLog, clock, ...bounds });
}

/** One channel that takes all at once, and channels that take one after the other. */
const unpaced = [{ rate_rps: null, max_parallel: backlog }];
const oneByOne = Array.from({ length: 20 }, () => ({ rate_rps: null, max_parallel: 1 }));

async function statuses(): Promise<Record<string, number>> {
  return statusesOf(database.admin, workspaceId);
}

async function allSent(): Promise<void> {
  await vi.waitFor(async () => expect(await statuses()).toEqual({ sent: backlog }), 30_000);
}

/** Until every send hangs and others wait in line; answers with how many. */
async function inLine(): Promise<number> {
  return vi.waitFor(async () => {
    expect(client.calls.every(({ ended }) => ended !== 'not yet')).toBe(true);
    const { sending = 0 } = await statuses();
    expect(underWay).toBe(concurrency - 1); // nine tenths, of a single workspace
    expect(sending).toBeGreaterThan(underWay);
    return sending - underWay;
  }, 10_000);
}

describe('deliveries that are claimed ahead', () => {
  it('make claims larger than the number of sends, which never is exceeded', async () => {
    await start(hangingAfter(backlog), unpaced);
    await allSent();
    const sizes = client.callsOf('claim_deliveries').map(({ args }) => Number(args[2]));
    expect(Math.max(...sizes)).toBeGreaterThan(concurrency);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(concurrency + 50);
    expect(most).toBeLessThanOrEqual(concurrency);
  });

  it('are none while no send has ended', async () => {
    await start(hangingAfter(0), unpaced);
    await vi.waitFor(() => expect(underWay).toBe(concurrency - 1), 10_000);
    const looks = client.callsOf('next_workspaces').length;
    await vi.waitFor(
      () => expect(client.callsOf('next_workspaces').length).toBeGreaterThan(looks + 1),
      10_000,
    );
    expect((await statuses())['sending']).toBe(underWay);
  });

  it('are given back at once when the dispatcher is told to stop, with no attempt used up', async () => {
    await start(hangingAfter(100), unpaced);
    const waiting = await inLine();
    const stopped = dispatcher.stop();
    await vi.waitFor(
      async () => expect(await statuses()).toMatchObject({ retry: waiting, sending: underWay }),
      10_000,
    );
    going.resolve();
    await stopped;
    const { used } = await queryRow(
      database.admin,
      z.object({ used: z.number() }),
      `select (5 - min(attempt_limit - attempt))::int as used from outrider.deliveries
       where workspace_id = $1 and status = 'retry'`,
      [workspaceId],
    );
    expect(used).toBe(0);
  });

  it('are given back when their slots have waited for a fifth of a second, and sent later', async () => {
    await start(hangingAfter(60), oneByOne);
    const waiting = await inLine();
    clock.advance(200);
    await vi.waitFor(async () => expect((await statuses())['sending']).toBe(underWay), 10_000);
    expect(await statuses()).toMatchObject({ retry: waiting });
    going.resolve();
    // A claim that finds nothing is repeated after a while, by the dispatcher's clock.
    await vi.waitFor(async () => {
      clock.advance(100);
      expect(await statuses()).toEqual({ sent: backlog });
    }, 30_000);
  });

  it('wait for longer where no pace gives them slots of their own', async () => {
    await start(hangingAfter(100), unpaced);
    const waiting = await inLine();
    clock.advance(1999);
    expect(client.callsOf('release_claims')).toEqual([]);
    clock.advance(1);
    await vi.waitFor(
      async () => expect(await statuses()).toMatchObject({ retry: waiting }),
      10_000,
    );
  });
});
