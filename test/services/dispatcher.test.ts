import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import type { Deliver } from '../../src/dispatch/deliver.ts';
import { type Dispatcher, startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { createLog, silentLog } from '../../src/log.ts';
import { openDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { addSandboxChannels, addSenders, sandboxDeliver, textsOf, urlsOf } from '../support/sandbox/sandbox-channels.ts';
import { liftLimits } from '../support/sandbox/sandbox-posts.ts';
import { HeldSends } from '../support/queue/held-sends.ts';
import { addBacklog } from '../support/database/seed.ts';

let database: TestDatabase;
let sandbox: Sandbox;
let senders: ReturnType<typeof sandboxDeliver>;
let dispatcher: Dispatcher | undefined;

beforeAll(async () => {
  database = await openDatabase();
  sandbox = await startSandbox();
  addSenders(sandbox);
  liftLimits(sandbox);
  senders = sandboxDeliver(database.service, urlsOf(sandbox));
});

afterAll(async () => {
  await senders.close();
  await sandbox.close();
  await database.close();
});

beforeEach(() => {
  return async () => {
    await dispatcher?.stop();
    dispatcher = undefined;
  };
});

interface Options {
  readonly concurrency?: number;
  readonly claimAhead?: number;
  readonly pollMs?: number;
  readonly deliver?: Deliver;
}

function start(options: Options = {}): Dispatcher {
  const { concurrency = 50, claimAhead, pollMs = 60_000, deliver = senders.deliver } = options;
  dispatcher = startDispatcher({
    client: database.service,
    deliver,
    log: silentLog,
    concurrency,
    claimAhead,
    drainMs: 5000,
    pollMs,
  });
  return dispatcher;
}

async function post(workspaceId: string, text: string): Promise<void> {
  const request = { workspaceId, endpointId: null, kind: 'push', rawPayload: { text } } as const;
  await enqueueMessagesAndDeliveries(database.service, request);
}

async function statuses(workspaceId: string): Promise<Record<string, number>> {
  const rows = await queryRows(
    database.admin,
    z.object({ status: z.string(), count: z.number() }),
    'select status::text, count(*)::int from outrider.deliveries where workspace_id = $1 group by 1',
    [workspaceId],
  );
  return Object.fromEntries(rows.map((row) => [row.status, row.count]));
}

const Line = z.looseObject({ channel_id: z.string() });

describe('the log of the dispatcher', () => {
  it('says plainly what becomes of a delivery that is not sent, and when it is tried again', async () => {
    const counts = { telegram: 3 };
    const fleet = await addSandboxChannels(database.admin, sandbox, { workspaceId: 'told', counts });
    const [again, refused, last] = fleet.map((each) => each.channelId);
    await post('told', 'Hello');
    await database.admin.query(
      `update outrider.deliveries set attempt_limit = 1 where workspace_id = 'told' and channel_id = $1`,
      [last],
    );
    const lines: string[] = [];
    dispatcher = startDispatcher({
      client: database.service,
      deliver: async (_, { deliveryId, claimToken, channel }) => {
        const category = channel.channelId === refused ? 'PERMANENT' : 'TRANSIENT';
        const error = { category, scope: 'delivery', code: 'x' } as const;
        return { deliveryId, claimToken, ok: false, error };
      },
      log: createLog({ level: 'warn', pretty: false, write: (line) => void lines.push(line) }),
      concurrency: 50,
      drainMs: 5000,
      pollMs: 60_000,
    });
    await vi.waitFor(() => expect(lines.length).toBeGreaterThanOrEqual(3), 30_000);
    const said = lines.map((line) => Line.parse(JSON.parse(line)));
    const of = (channelId: string | undefined) =>
      said.find((each) => each.channel_id === channelId);
    expect(of(again)).toMatchObject({
      message: 'not sent; it will be tried again',
      became: 'retry',
      next_retry_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(of(refused)).toMatchObject({ message: 'not sent: it failed for good' });
    expect(of(last)).toMatchObject({ message: 'not sent: it was given up', became: 'dead' });
  });
});

describe('the dispatcher', () => {
  it('delivers what was queued before it started, on every platform', async () => {
    const counts = { telegram: 2, max: 2, vk: 2 };
    const channels = await addSandboxChannels(database.admin, sandbox, { workspaceId: 'before', counts });
    await post('before', 'Lost: a ginger dog');
    start();
    await vi.waitFor(async () => expect(await statuses('before')).toEqual({ sent: 6 }), 30_000);
    for (const each of channels) expect(textsOf(sandbox, each)).toEqual(['Lost: a ginger dog']);
  });

  it('delivers what is queued while it sleeps when it is woken, far ahead of its poll', async () => {
    await addSandboxChannels(database.admin, sandbox, { workspaceId: 'woken', counts: { telegram: 3 } });
    const running = start();
    await post('woken', 'first');
    running.wake('woken');
    await vi.waitFor(async () => expect(await statuses('woken')).toEqual({ sent: 3 }), 30_000);
    await post('woken', 'second');
    running.wake();
    await vi.waitFor(async () => expect(await statuses('woken')).toEqual({ sent: 6 }), 30_000);
  });

  it.each([0, 50])(
    'shares its sends among workspaces that all have a backlog, with %i claimed ahead',
    async (claimAhead) => {
      const workspaces = ['one', 'two', 'three'].map((each) => `${each}-${claimAhead}`);
      const columns = { max_parallel: 30 };
      for (const workspaceId of workspaces) {
        await addSandboxChannels(database.admin, sandbox, { workspaceId, counts: { telegram: 1 }, columns });
        await addBacklog(database.admin, workspaceId, ['telegram-1'], 30);
      }
      const sends = new HeldSends(senders.deliver);
      start({ concurrency: 21, claimAhead, deliver: sends.deliver });
      const perWorkspace = () => {
        const counts = Map.groupBy(sends.begun, ({ workspaceId }) => workspaceId);
        return workspaces.map((each) => counts.get(each)?.length ?? 0);
      };
      await vi.waitFor(() => expect(sends.begun).toHaveLength(21), 30_000);
      expect(perWorkspace()).toEqual([7, 7, 7]);
      sends.letGo();
      for (const each of workspaces) {
        await vi.waitFor(async () => expect(await statuses(each)).toEqual({ sent: 30 }), 30_000);
      }
    },
  );
});
