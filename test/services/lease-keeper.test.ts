import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { createLeaseKeeper, type Hold, type LeaseKeeper } from '../../src/dispatch/lease-keeper.ts';
import { silentLog } from '../../src/log.ts';
import { addBacklog, addChannel, addWorkspace } from '../support/database/seed.ts';
import { WatchedClient } from '../support/database/watched-client.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { createManualClock, type ManualClock } from '../support/time/manual-clock.ts';

// The keeper's clock moves only when a test moves it; the server's is the real one, and no lease ends there
// while a test runs.

const database = await useDatabase();
let clock: ManualClock;
let client: WatchedClient;
let keeper: LeaseKeeper;
let workspaceId: string;
let lost: number;

beforeEach(async () => {
  workspaceId = database.newWorkspaceId();
  lost = 0;
  await addWorkspace(database.admin, workspaceId);
  await addChannel(database.admin, workspaceId, 'news');
  clock = createManualClock();
  keep(database.service);
});

afterEach(() => {
  keeper.stop();
  vi.useRealTimers();
});

function keep(through: Queryable): void {
  client = new WatchedClient(through);
  keeper = createLeaseKeeper(client, silentLog, clock);
}

/** A claim of that many deliveries, whose answer took so long. */
async function hold(lease: string, { deliveries = 1, tookMs = 0 } = {}): Promise<Hold[]> {
  await addBacklog(database.admin, workspaceId, ['news'], deliveries);
  const askedAt = clock.now();
  const request = { workspaceId, runId: 'run', limit: deliveries, lease };
  const claimed = await claimDeliveries(database.service, request);
  expect(claimed).toHaveLength(deliveries);
  clock.freeze(tookMs);
  const onLost = (): void => void (lost += 1);
  return claimed.map(({ claimToken, leaseMs }) =>
    keeper.hold({ workspaceId, claimToken, leaseMs, askedAt, onLost }),
  );
}

async function holdOne(lease: string, tookMs = 0): Promise<Hold> {
  const [held] = await hold(lease, { tookMs });
  if (held === undefined) throw new Error('nothing is held');
  return held;
}

/** Until so many extensions were asked for and have ended. */
async function expectExtensions(number: number): Promise<void> {
  await vi.waitFor(
    () =>
      expect(client.callsOf('extend_leases').map((call) => call.ended !== 'not yet')).toEqual(
        Array.from({ length: number }, () => true),
      ),
    30_000,
  );
}

async function takeAway(): Promise<void> {
  await database.admin.query(
    "update outrider.leases set lease_until = now() - interval '1 minute' where workspace_id = $1",
    [workspaceId],
  );
  expect(await recoverLeases(database.service, workspaceId)).not.toEqual([]);
}

describe('a lease', () => {
  it('holds for its length, counted from before the claim was asked for', async () => {
    const { holds } = await holdOne('30 seconds', 4000);
    expect(holds()).toBe(true);
    clock.freeze(25_999);
    expect(holds()).toBe(true);
    clock.freeze(1);
    expect(holds()).toBe(false);
  });

  it('does not hold at all when the answer to its claim took longer than it lasts', async () => {
    const { holds } = await holdOne('30 seconds', 30_000);
    expect(holds()).toBe(false);
  });

  it('is not extended before a third of it is over, and then is', async () => {
    await holdOne('6 seconds');
    clock.advance(1999);
    expect(client.calls).toEqual([]);
    clock.advance(201);
    await expectExtensions(1);
  });

  // A process that reckons with the end of the lease by the wall clock would wait for 10 s.
  it('is extended in time by a process whose clock on the wall is an hour behind', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    const { holds } = await holdOne('6 seconds');
    clock.advance(2000);
    await expectExtensions(1);
    clock.freeze(5999);
    await vi.waitFor(() => expect(holds()).toBe(true), 30_000);
  });

  it('of several deliveries is extended once for all, and as long as one is held', async () => {
    const [first, second] = await hold('30 seconds', { deliveries: 2 });
    first?.letGo();
    clock.advance(10_000);
    await expectExtensions(1);
    second?.letGo();
    clock.advance(60_000);
    expect(client.calls).toHaveLength(1);
  });
});

describe('an extension', () => {
  it('moves the end to its length after it was asked for', async () => {
    const { holds } = await holdOne('30 seconds');
    clock.advance(10_000);
    clock.freeze(3000); // as long as its answer takes
    await expectExtensions(1);
    clock.freeze(26_999);
    await vi.waitFor(() => expect(holds()).toBe(true), 30_000);
    clock.freeze(1);
    expect(holds()).toBe(false);
  });

  it('that fails leaves the end where it was, and the send to go on', async () => {
    keeper.stop();
    keep({ query: () => Promise.reject(new Error('the database is away')) });
    const { holds } = await holdOne('30 seconds');
    clock.advance(10_000);
    await expectExtensions(1);
    clock.freeze(19_999);
    expect(holds()).toBe(true);
    clock.freeze(1);
    expect(holds()).toBe(false);
    expect(lost).toBe(0);
  });

  it('is tried again soon when it fails', async () => {
    keeper.stop();
    keep({ query: () => Promise.reject(new Error('the database is away')) });
    await holdOne('30 seconds');
    clock.advance(10_000);
    await expectExtensions(1);
    await vi.waitFor(() => {
      clock.advance(200);
      expect(client.calls).toHaveLength(2);
    }, 30_000);
    expect(clock.now()).toBeLessThan(20_000);
  });

  it('comes too late for a process that was frozen, and all who hold the lease are told', async () => {
    const held = await hold('30 seconds', { deliveries: 3 });
    clock.freeze(31_000);
    await takeAway();
    expect(held.map(({ holds }) => holds())).toEqual([false, false, false]);
    clock.advance(200);
    await vi.waitFor(() => expect(lost).toBe(3), 30_000);
    expect(held.map(({ holds }) => holds())).toEqual([false, false, false]);
  });

  it('ends the hold at once when the lease was taken away, however long it would have lasted', async () => {
    const { holds } = await holdOne('30 seconds');
    await takeAway();
    clock.advance(10_000);
    await vi.waitFor(() => expect(lost).toBe(1), 30_000);
    expect(holds()).toBe(false);
  });
});
