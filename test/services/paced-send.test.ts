import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  it,
  onTestFinished,
} from 'vitest';
import { type MovableClock, movableClock } from '../../sandbox/clock.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import type { Outcome } from '../../src/db/commit.ts';
import { openPool, type Queryable } from '../../src/db/pool.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { DatabaseAwayError, DatabaseFaultError } from '../../src/errors.ts';
import { addDelivery, after, setGroup, start } from '../support/database/seed.ts';
import { openSessions } from '../support/database/sessions.ts';
import { addressOf } from '../support/database/test-database.ts';
import { WatchedClient } from '../support/database/watched-client.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  addSandboxChannels,
  addSenders,
  type SandboxChannel,
  sandboxDeliver,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';

// A post of two messages, in a group with one call a second.

const database = await useDatabase();
let sandbox: Sandbox;
let clock: MovableClock;
let workspaceId: string;
let chat: SandboxChannel;

beforeAll(async () => {
  clock = movableClock(Date.parse(start));
  sandbox = await startSandbox({ clock });
  addSenders(sandbox);
});

afterAll(() => sandbox.close());

beforeEach(async () => {
  workspaceId = database.newWorkspaceId();
  const [channel] = await addSandboxChannels(database.admin, sandbox, {
    workspaceId,
    counts: { telegram: 1 },
  });
  if (channel === undefined) throw new Error('there is no channel');
  chat = channel;
  await setGroup(database.admin, workspaceId, { rate_group: 'telegram', rate_rps: 1 });
  const parts = [{ kind: 'text' }, { kind: 'text' }];
  await addDelivery(database.admin, workspaceId, chat.channelId, {
    render_meta: JSON.stringify({ parts }),
  });
});

const now = (): Date => new Date(clock.now());

/**
 * Claims the post and sends it. `onWait` is what happens instead of time passing: 'stop' tells the send to stop, and
 * 'late' is a lease that ends meanwhile. `claimed` is what happens before the first call.
 */
async function send(
  onWait: (ms: number) => unknown,
  client: Queryable = database.service,
  claimed: () => unknown = () => undefined,
): Promise<{ outcome: Outcome; waits: number[] }> {
  const waits: number[] = [];
  const stopping = new AbortController();
  let isHeld = true;
  const senders = sandboxDeliver(client, urlsOf(sandbox), {
    time: {
      now,
      async wait(ms) {
        waits.push(ms);
        const happens = await onWait(ms);
        if (happens === 'stop') stopping.abort();
        if (happens === 'late') isHeld = false;
      },
    },
  });
  const request = { workspaceId, runId: 'run', limit: 1 };
  const [held] = await claimDeliveries(database.service, request, now().toISOString());
  if (held === undefined) throw new Error('nothing was claimed');
  await claimed();
  const outcome = await senders.deliver(workspaceId, held, {
    signal: stopping.signal,
    holds: () => isHeld,
  });
  await senders.close();
  return { outcome, waits };
}

const stopped = { ok: false, error: { category: 'TRANSIENT', scope: 'delivery', code: 'aborted' } };

describe('a send of several calls', () => {
  it('makes the first at once and waits for the slot of the next', async () => {
    const { outcome, waits } = await send((ms) => clock.advance(ms));
    expect(outcome.ok).toBe(true);
    expect(waits).toEqual([1000]);
    expect(textsOf(sandbox, chat)).toHaveLength(2);
  });

  it('waits for longer when its group is told to wait meanwhile', async () => {
    let isCooling = false;
    const { outcome, waits } = await send(async (ms) => {
      clock.advance(ms);
      if (isCooling) return;
      isCooling = true;
      const until = new Date(clock.now() + 30_000).toISOString();
      await setGroup(database.admin, workspaceId, {
        rate_group: 'telegram',
        cooldown_until: until,
        next_allowed_at: until,
      });
    });
    expect(outcome.ok).toBe(true);
    expect(waits).toEqual([1000, 10_000, 10_000, 10_000]);
  });

  it('makes no further call when it is stopped while it waits, and knows how far it came', async () => {
    const { outcome } = await send(() => 'stop');
    expect(outcome).toMatchObject({ ...stopped, parts: [{ item: 0 }] });
    expect(textsOf(sandbox, chat)).toHaveLength(1);
  });

  it('makes no further call when its claim is lost meanwhile', async () => {
    const { outcome } = await send(async (ms) => {
      clock.advance(ms);
      await recoverLeases(database.service, workspaceId, after(600, now().toISOString()));
    });
    expect(outcome).toMatchObject(stopped);
    expect(textsOf(sandbox, chat)).toHaveLength(1);
  });
});

/** As the service's, without patience for locks. */
function impatientClient(): Queryable {
  const { serviceLogin, servicePassword } = inject('postgres');
  const url = addressOf(database.url, database.name, serviceLogin, servicePassword);
  const client = openPool({ url, applicationName: 'pace test', lockTimeoutMs: 20 });
  onTestFinished(() => client.end());
  return client;
}

describe('a send that the database does not answer between two calls', () => {
  it.each([
    ['its channel, which has the pace', 'channels'],
    ['its delivery, which has the progress', 'deliveries'],
  ])('asks again while somebody has locked %s, and then goes on', async (_what, table) => {
    const sessions = openSessions();
    onTestFinished(() => sessions.endAll());
    const lock = await sessions.open(database.admin);
    let asked = 0;
    const { outcome, waits } = await send(
      async (ms) => {
        asked += 1;
        if (asked === 8) await lock.commit();
        if (asked > 8) clock.advance(ms);
      },
      impatientClient(),
      () =>
        lock.client.query(`select from outrider.${table} where workspace_id = $1 for update`, [
          workspaceId,
        ]),
    );
    expect(outcome.ok).toBe(true);
    expect(textsOf(sandbox, chat)).toHaveLength(2);
    expect(waits).toHaveLength(9);
    expect(waits[0]).toBeLessThanOrEqual(100);
    expect(waits[7]).toBeGreaterThanOrEqual(1000);
    expect(waits[7]).toBeLessThanOrEqual(2000);
  });

  const away = (): Queryable =>
    new WatchedClient(database.service, (call) => {
      if (call.name === 'take_call') throw new DatabaseAwayError('the server is away');
    });

  it.each([
    ['it is stopped', 'stop'],
    ['its lease is over', 'late'],
  ])('makes no further call once %s, and knows how far it came', async (_what, happens) => {
    let asked = 0;
    const { outcome, waits } = await send(() => {
      asked += 1;
      return asked === 3 ? happens : undefined;
    }, away());
    expect(outcome).toMatchObject({ ...stopped, parts: [{ item: 0 }] });
    expect(waits).toHaveLength(3);
    expect(textsOf(sandbox, chat)).toHaveLength(1);
  });

  it('does not ask again where asking is at fault', async () => {
    const broken = new WatchedClient(database.service, (call) => {
      if (call.name === 'take_call') throw new DatabaseFaultError('there is no such column');
    });
    const { outcome, waits } = await send(() => undefined, broken);
    expect(outcome).toMatchObject(stopped);
    expect(waits).toEqual([]);
  });
});
