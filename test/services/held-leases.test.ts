import { afterAll, afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import type { Clock } from '../../src/clock.ts';
import type { Outcome } from '../../src/db/commit.ts';
import { openPool, type Queryable } from '../../src/db/pool.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { startUpkeep } from '../../src/dispatch/upkeep.ts';
import { createLog, silentLog } from '../../src/log.ts';
import { addressOf } from '../support/database/test-database.ts';
import { WatchedClient } from '../support/database/watched-client.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { startTcpProxy } from '../support/http/tcp-proxy.ts';
import { HeldSends } from '../support/queue/held-sends.ts';
import {
  addSandboxChannels,
  sandboxDeliver,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { post, statusesOf } from '../support/sandbox/sandbox-posts.ts';
import type { Platform } from '../support/sandbox/three-platforms.ts';
import { createManualClock, type ManualClock } from '../support/time/manual-clock.ts';

// A sender whose sends take until the test lets them go, and the upkeep of somebody else who takes every lease that has
// ended. No lease ends because the machine pauses: time passes where a test lets it.

const database = await useDatabase();
const sandbox = await useSandbox();
const senders = sandboxDeliver(database.service, urlsOf(sandbox));
const leaseMs = 30_000;
let held: HeldSends;
let workspaceId: string;
let lines: string[];
const outcomes: Outcome[] = [];
const undo: (() => unknown)[] = [];

beforeEach(() => {
  workspaceId = database.newWorkspaceId();
  held = new HeldSends(async (...send) => {
    const outcome = await senders.deliver(...send);
    outcomes.push(outcome);
    return outcome;
  });
  outcomes.length = 0;
  lines = [];
});

afterEach(async () => {
  held.letGo();
  for (const step of undo.splice(0).toReversed()) await step();
  await database.admin.query("update outrider.workspaces set status = 'paused'");
});

afterAll(() => senders.close());

/** Posts to new channels; answers with them when all their sends have begun. */
async function begin(
  channels: number,
  {
    client = database.service,
    platform = 'vk',
    clock = createManualClock(),
  }: { client?: Queryable; platform?: Platform; clock?: Clock } = {},
) {
  const settings = { sending_lease: `${leaseMs} milliseconds`, recovery_backoff: '0 seconds' };
  const added = await addSandboxChannels(database.admin, sandbox, {
    workspaceId,
    counts: { [platform]: channels },
    settings,
  });
  await post(database.service, workspaceId, 'slow');
  const dispatcher = startDispatcher({
    client,
    deliver: held.deliver,
    log: createLog({ level: 'debug', pretty: false, write: (line) => lines.push(line) }),
    concurrency: 10,
    drainMs: 600_000,
    clock,
  });
  undo.push(() => {
    held.letGo();
    return dispatcher.stop();
  });
  await vi.waitFor(() => expect(held.begun).toHaveLength(channels), 30_000);
  return added;
}

function watchOver(): void {
  const options = { client: database.service, log: silentLog, onRecovered: () => undefined };
  const upkeep = startUpkeep({ ...options, recoverEveryMs: 20 });
  undo.push(() => upkeep.stop());
}

/** Lets a third of the lease pass for the sender, which then extends it, and afterwards for the lease itself. */
async function thirdToPass(clock: ManualClock, client: WatchedClient): Promise<void> {
  const extensions = () => client.callsOf('extend_leases').map(({ ended }) => ended);
  const before = extensions().length;
  clock.advance(leaseMs / 3);
  const ended = expect.stringMatching(/answered|failed/);
  await vi.waitFor(() => expect(extensions().slice(before)).toEqual([ended]), 30_000);
  await database.admin.query(
    `update outrider.leases set lease_until = lease_until - $2 * interval '1 millisecond'
     where workspace_id = $1`,
    [workspaceId, leaseMs / 3],
  );
}

async function actions(): Promise<string[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ action: z.string() }),
    `select action::text from outrider.events
     where workspace_id = $1 and delivery_id is not null order by ts, id`,
    [workspaceId],
  );
  return rows.map((row) => row.action).filter((action) => action !== 'enqueue');
}

describe('a send that outlasts its lease', () => {
  it('keeps it for as long as its sender lives', async () => {
    const clock = createManualClock();
    const client = new WatchedClient(database.service);
    const [channel] = await begin(1, { client, clock });
    watchOver();
    for (let thirds = 0; thirds < 6; thirds += 1) await thirdToPass(clock, client);
    expect(await statusesOf(database.admin, workspaceId)).toEqual({ sending: 1 });
    expect(held.begun[0]?.signal.aborted).toBe(false);
    held.letGo();
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, workspaceId)).toEqual({ sent: 1 }),
      30_000,
    );
    expect(await actions()).toEqual(['send_attempt', 'sent']);
    expect(channel && textsOf(sandbox, channel)).toEqual(['slow']);
  });

  it('keeps it over an outage that is shorter than the lease', async () => {
    const { serviceLogin, servicePassword } = inject('postgres');
    const url = addressOf(database.url, database.name, serviceLogin, servicePassword);
    const proxy = await startTcpProxy(url);
    const client = openPool({ url: proxy.url, applicationName: 'lease test' });
    undo.push(
      () => proxy.close(),
      () => client.end(),
    );
    const clock = createManualClock();
    const watched = new WatchedClient(client);
    await begin(1, { client: watched, clock });
    watchOver();
    await proxy.greet('refused');
    proxy.cut();
    await thirdToPass(clock, watched);
    const failed = (line: string) => line.includes('leases could not be extended');
    await vi.waitFor(() => expect(lines.filter(failed)).not.toEqual([]), 30_000);
    await proxy.greet('served');
    for (let thirds = 1; thirds < 5; thirds += 1) await thirdToPass(clock, watched);
    expect(held.begun[0]?.signal.aborted).toBe(false);
    expect(await actions()).toEqual(['send_attempt']);
  });
});

async function takeAway(): Promise<void> {
  await database.admin.query(
    "update outrider.leases set lease_until = now() - interval '1 minute' where workspace_id = $1",
    [workspaceId],
  );
  await recoverLeases(database.service, workspaceId);
}

describe('a send whose lease was taken away', () => {
  it('is told to stop, and what it says then is stale', async () => {
    const clock = createManualClock();
    const [channel] = await begin(1, { clock });
    await takeAway();
    clock.advance(leaseMs / 3);
    await vi.waitFor(() => expect(held.begun[0]?.signal.aborted).toBe(true), 30_000);
    await vi.waitFor(() => expect(outcomes).toHaveLength(1), 30_000);
    expect(outcomes).toMatchObject([{ ok: false, error: { code: 'aborted' } }]);
    await vi.waitFor(
      () =>
        expect(lines.filter((line) => line.includes('its outcome changes nothing'))).toEqual([
          expect.stringMatching(/stale: the delivery is .+ and not held under this token/),
        ]),
      30_000,
    );
    // The dispatcher itself is the next one to claim it.
    await vi.waitFor(() => {
      clock.advance(100); // what it could not claim it leaves alone for so long
      expect(held.begun).toHaveLength(2);
    }, 30_000);
    held.letGo();
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, workspaceId)).toEqual({ sent: 1 }),
      30_000,
    );
    expect(await actions()).toEqual([
      'send_attempt',
      'sending_lease_expired',
      'send_attempt',
      'sent',
    ]);
    expect(channel && textsOf(sandbox, channel)).toEqual(['slow']);
  });

  it('is told so also among many of one claim', async () => {
    const clock = createManualClock();
    await begin(5, { clock });
    expect(new Set(held.begun.map(({ delivery }) => delivery.claimToken)).size).toBe(1);
    await takeAway();
    clock.advance(leaseMs / 3);
    await vi.waitFor(
      () => expect(held.begun.slice(0, 5).every(({ signal }) => signal.aborted)).toBe(true),
      30_000,
    );
    expect(await statusesOf(database.admin, workspaceId)).not.toHaveProperty('sent');
  });
});

// The process is frozen between the answer to its claim and the send: neither its timers nor its keeper run.
describe('a send that is begun under a lease which is over', () => {
  async function beginFrozen() {
    const clock = createManualClock();
    const [channel] = await begin(1, { platform: 'telegram', clock });
    if (channel === undefined) throw new Error('there is no channel');
    clock.freeze(leaseMs);
    return channel;
  }

  async function toBeSent(): Promise<void> {
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, workspaceId)).toEqual({ sent: 1 }),
      30_000,
    );
  }

  it('sends nothing and gives the delivery back, with no attempt used up and nothing unknown', async () => {
    const channel = await beginFrozen();
    held.letGo();
    await toBeSent();
    expect(outcomes).toMatchObject([{ ok: false, error: { code: 'lease_over' } }, { ok: true }]);
    expect(held.begun[1]?.delivery).toMatchObject({ attempt: 2, outcomeUnknown: false });
    expect(await actions()).toEqual(['send_attempt', 'claim_released', 'send_attempt', 'sent']);
    const { left } = await queryRow(
      database.admin,
      z.object({ left: z.number() }),
      'select attempt_limit - attempt as left from outrider.deliveries where workspace_id = $1',
      [workspaceId],
    );
    expect(left).toBe(4);
    expect(textsOf(sandbox, channel)).toEqual(['slow']);
  });

  it('sends nothing when somebody else has the delivery, and changes nothing', async () => {
    const channel = await beginFrozen();
    await takeAway();
    await vi.waitFor(() => expect(held.begun).toHaveLength(2), 30_000);
    held.letGo();
    await toBeSent();
    await vi.waitFor(
      () =>
        expect(lines.filter((line) => line.includes('its outcome changes nothing'))).toHaveLength(
          1,
        ),
      30_000,
    );
    expect(await actions()).toEqual([
      'send_attempt',
      'sending_lease_expired',
      'send_attempt',
      'sent',
    ]);
    expect(textsOf(sandbox, channel)).toEqual(['slow']);
  });
});
