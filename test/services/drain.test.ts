import { afterAll, afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { openPool, type Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { type Dispatcher, startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { createLog } from '../../src/log.ts';
import { openSessions } from '../support/database/sessions.ts';
import { addressOf } from '../support/database/test-database.ts';
import { WatchedClient } from '../support/database/watched-client.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { startTcpProxy, type TcpProxy } from '../support/http/tcp-proxy.ts';
import { HeldSends } from '../support/queue/held-sends.ts';
import {
  addSandboxChannels,
  type SandboxChannel,
  sandboxDeliver,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { post, statusesOf } from '../support/sandbox/sandbox-posts.ts';

const database = await useDatabase();
const sandbox = await useSandbox();
const senders = sandboxDeliver(database.service, urlsOf(sandbox));
let held: HeldSends;
let workspaceId: string;
let lines: string[];
const sessions = openSessions();
const undo: (() => unknown)[] = [];

beforeEach(() => {
  workspaceId = database.newWorkspaceId();
  held = new HeldSends(senders.deliver);
  lines = [];
});

afterEach(async () => {
  held.letGo();
  await sessions.endAll();
  for (const step of undo.splice(0).toReversed()) await step();
  sandbox.faults.clear();
  // What it has left is nobody's business in the next test.
  await database.admin.query("update outrider.workspaces set status = 'paused'");
});

afterAll(() => senders.close());

interface Start {
  readonly client?: Queryable;
  readonly deliver?: HeldSends['deliver'];
  readonly drainMs?: number;
}

const longGrace = 600_000;

function start(options: Start = {}): { dispatcher: Dispatcher; client: WatchedClient } {
  const client = new WatchedClient(options.client ?? database.service);
  const dispatcher = startDispatcher({
    client,
    deliver: options.deliver ?? held.deliver,
    log: createLog({ level: 'debug', pretty: false, write: (line) => lines.push(line) }),
    concurrency: 20,
    drainMs: options.drainMs ?? longGrace,
    pollMs: 600_000,
  });
  undo.push(() => dispatcher.stop());
  return { dispatcher, client };
}

async function addChannels(
  counts: Parameters<typeof addSandboxChannels>[2]['counts'],
  columns = {},
) {
  return addSandboxChannels(database.admin, sandbox, { workspaceId, counts, columns });
}

async function sendsToBegin(number: number): Promise<void> {
  await vi.waitFor(() => expect(held.begun).toHaveLength(number), 30_000);
}

async function deliveries(): Promise<unknown[]> {
  return queryRows(
    database.admin,
    z.object({
      status: z.string(),
      attempts_left: z.number(),
      outcome_unknown: z.boolean(),
      code: z.string().nullable(),
    }),
    `select status::text, attempt_limit - attempt as attempts_left, outcome_unknown,
            last_error ->> 'code' as code
     from outrider.deliveries where workspace_id = $1`,
    [workspaceId],
  );
}

async function leaseCount(): Promise<number> {
  const text = 'select from outrider.leases where workspace_id = $1';
  return (await database.admin.query(text, [workspaceId])).rows.length;
}

function shown(channels: readonly SandboxChannel[]): string[][] {
  return channels.map((each) => textsOf(sandbox, each));
}

describe('a dispatcher that is told to stop', () => {
  it('lets the sends under way end, commits them, and claims nothing more', async () => {
    const channels = await addChannels({ telegram: 1, max: 1, vk: 1 }, { max_parallel: 1 });
    await post(database.service, workspaceId, 'first');
    await post(database.service, workspaceId, 'second');
    const { dispatcher, client } = start();
    await sendsToBegin(3);
    const stopped = dispatcher.stop();
    const claims = client.callsOf('claim_deliveries').length;
    dispatcher.wake(workspaceId);
    held.letGo();
    await stopped;
    expect(await statusesOf(database.admin, workspaceId)).toEqual({ sent: 3, queued: 3 });
    expect(shown(channels)).toEqual(channels.map(() => ['first']));
    expect(client.callsOf('claim_deliveries')).toHaveLength(claims);
    expect(await leaseCount()).toBe(0);
  });

  it('gives back what a late claim brings, with no attempt lost, and the next one sends it', async () => {
    const channels = await addChannels({ telegram: 1, vk: 1 });
    await post(database.service, workspaceId, 'late');
    const lock = await sessions.open(database.admin);
    await lock.client.query('select from outrider.channels where workspace_id = $1 for update', [
      workspaceId,
    ]);
    const { dispatcher, client } = start();
    await vi.waitFor(() => expect(client.callsOf('claim_deliveries')).toHaveLength(1), 30_000);
    const stopped = dispatcher.stop();
    await lock.commit();
    await stopped;
    const back = { status: 'retry', attempts_left: 5, outcome_unknown: false, code: null };
    expect(await deliveries()).toEqual([back, back]);
    expect(await leaseCount()).toBe(0);
    expect(held.begun).toEqual([]);

    const next = start({ deliver: senders.deliver });
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, workspaceId)).toEqual({ sent: 2 }),
      30_000,
    );
    await next.dispatcher.stop();
    expect(shown(channels)).toEqual([['late'], ['late']]);
  });

  it('starts no claim when it learns only then where there is work', async () => {
    await addChannels({ telegram: 1 });
    await post(database.service, workspaceId, 'unclaimed');
    const lock = await sessions.open(database.admin);
    await lock.client.query(
      `insert into outrider.dispatcher_state (dispatcher, updated_at) values ('dispatcher', now())
       on conflict (dispatcher) do update set updated_at = now()`,
    );
    const { dispatcher, client } = start();
    await vi.waitFor(() => expect(client.callsOf('next_workspaces')).toHaveLength(1), 30_000);
    const stopped = dispatcher.stop();
    await lock.commit();
    await stopped;
    expect(client.callsOf('claim_deliveries')).toEqual([]);
    expect(await statusesOf(database.admin, workspaceId)).toEqual({ queued: 1 });
  });

  it('lets the grace begin at once, also while a claim waits for the database', async () => {
    await addChannels({ telegram: 1 });
    await post(database.service, workspaceId, 'under way');
    const { dispatcher, client } = start({ drainMs: 1 });
    await sendsToBegin(1);
    const other = `${workspaceId}-other`;
    const counts = { telegram: 1 };
    await addSandboxChannels(database.admin, sandbox, { workspaceId: other, counts });
    await post(database.service, other, 'waits');
    const lock = await sessions.open(database.admin);
    const text = 'select from outrider.channels where workspace_id = $1 for update';
    await lock.client.query(text, [other]);
    dispatcher.wake(other);
    const waiting = () =>
      client.callsOf('claim_deliveries').filter(({ args, ended }) => {
        return args[0] === other && ended === 'not yet';
      });
    await vi.waitFor(() => expect(waiting()).toHaveLength(1), 30_000);
    const stopped = dispatcher.stop();
    await vi.waitFor(() => expect(held.begun[0]?.signal.aborted).toBe(true), 30_000);
    expect(waiting()).toHaveLength(1);
    await lock.commit();
    await stopped;
  });

  it('breaks sends off that outlast the grace, and commits what is known of them', async () => {
    const channels = await addChannels({ telegram: 1, max: 1, vk: 1 });
    await post(database.service, workspaceId, 'endless');
    sandbox.faults.add({ kind: 'half_open', stored: true });
    const { dispatcher } = start({ deliver: senders.deliver, drainMs: 1 });
    await vi.waitFor(() => expect(shown(channels).flat()).toHaveLength(3), 30_000);
    await dispatcher.stop();
    const unknown = { status: 'retry', outcome_unknown: true, code: 'outcome_unknown' };
    expect(await deliveries()).toMatchObject([unknown, unknown, unknown]);
    expect(await leaseCount()).toBe(0);
  });

  it('knows of a send that was broken off before its first byte that nothing has arrived, and loses no attempt', async () => {
    const channels = await addChannels({ telegram: 1, max: 1, vk: 1 });
    await post(database.service, workspaceId, 'unsent');
    const { dispatcher } = start({ drainMs: 1 });
    await sendsToBegin(3);
    await dispatcher.stop();
    const aborted = { status: 'retry', attempts_left: 5, outcome_unknown: false, code: 'aborted' };
    expect(await deliveries()).toEqual([aborted, aborted, aborted]);
    expect(shown(channels)).toEqual([[], [], []]);
  });
});

describe('a dispatcher that is told to stop while the database is away', () => {
  async function throughProxy(): Promise<{ proxy: TcpProxy; client: Queryable }> {
    const { serviceLogin, servicePassword } = inject('postgres');
    const url = addressOf(database.url, database.name, serviceLogin, servicePassword);
    const proxy = await startTcpProxy(url);
    // The claim keeps within it, too: one whose answer comes too late has no sender until its lease ends.
    const patience = { connectTimeoutMs: 5000, statementTimeoutMs: 5000, silenceMs: 100 };
    const client = openPool({ url: proxy.url, applicationName: 'drain test', ...patience });
    undo.push(
      () => proxy.close(),
      () => client.end(),
    );
    return { proxy, client };
  }

  async function nobodyAnswers(proxy: TcpProxy): Promise<void> {
    await proxy.greet('left');
    proxy.freeze();
  }

  async function nobodyIsThere(proxy: TcpProxy): Promise<void> {
    await proxy.greet('refused');
    proxy.cut();
  }

  it.each([
    ['its address refuses', nobodyIsThere],
    ['its connections are silent', nobodyAnswers],
  ])('ends, and the lease brings back what it could not commit: %s', async (_, goAway) => {
    const [channel] = await addChannels({ vk: 1 });
    await post(database.service, workspaceId, 'uncommitted');
    const { proxy, client } = await throughProxy();
    const { dispatcher } = start({ client, drainMs: 1 });
    await sendsToBegin(1);
    await goAway(proxy);
    held.letGo();
    await vi.waitFor(() => expect(channel && shown([channel])).toEqual([['uncommitted']]), 30_000);
    await dispatcher.stop();
    expect(lines.filter((line) => line.includes('outcomes are not recorded'))).toHaveLength(1);
    expect(await statusesOf(database.admin, workspaceId)).toEqual({ sending: 1 });

    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await recoverLeases(database.service, workspaceId, later)).toMatchObject([
      { became: 'retry' },
    ]);
    expect(await deliveries()).toMatchObject([{ outcome_unknown: true }]);
  });

  it('ends when it was still looking for work', async () => {
    const { proxy, client } = await throughProxy();
    await nobodyAnswers(proxy);
    const { dispatcher } = start({ client });
    await vi.waitFor(() => expect(proxy.made()).toBeGreaterThan(0), 30_000);
    await dispatcher.stop();
    expect(dispatcher.health()).toMatchObject({ ok: false });
  });
});
