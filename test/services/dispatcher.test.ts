import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { Deliver } from '../../src/dispatch/deliver.ts';
import { type Dispatcher, startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { createLog, silentLog } from '../../src/log.ts';
import { addBacklog } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSandbox } from '../support/fixtures/sandbox.ts';
import { HeldSends } from '../support/queue/held-sends.ts';
import {
  addSandboxChannels,
  sandboxDeliver,
  textsOf,
  urlsOf,
} from '../support/sandbox/sandbox-channels.ts';
import { post, statusesOf } from '../support/sandbox/sandbox-posts.ts';

const database = await useDatabase();
const sandbox = await useSandbox();
const senders = sandboxDeliver(database.service, urlsOf(sandbox));
let dispatcher: Dispatcher | undefined;

afterAll(() => senders.close());

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

const Line = z.looseObject({ channel_id: z.string() });

describe('the log of the dispatcher', () => {
  it('says plainly what becomes of a delivery that is not sent, and when it is tried again', async () => {
    const counts = { telegram: 3 };
    const channels = await addSandboxChannels(database.admin, sandbox, {
      workspaceId: 'told',
      counts,
    });
    const [again, refused, last] = channels.map((each) => each.channelId);
    await post(database.service, 'told', 'Hello');
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
    // What is tried again would come due in the middle of another test.
    await database.admin.query(
      `update outrider.channels set enabled = false where workspace_id = 'told'`,
    );
  });
});

describe('the dispatcher', () => {
  it('delivers what was queued before it started, on every platform', async () => {
    const counts = { telegram: 2, max: 2, vk: 2 };
    const channels = await addSandboxChannels(database.admin, sandbox, {
      workspaceId: 'before',
      counts,
    });
    await post(database.service, 'before', 'Lost: a ginger dog');
    start();
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, 'before')).toEqual({ sent: 6 }),
      30_000,
    );
    for (const each of channels) expect(textsOf(sandbox, each)).toEqual(['Lost: a ginger dog']);
  });

  it('delivers what is queued while it sleeps when it is woken, far ahead of its poll', async () => {
    await addSandboxChannels(database.admin, sandbox, {
      workspaceId: 'woken',
      counts: { telegram: 3 },
    });
    const running = start();
    await post(database.service, 'woken', 'first');
    running.wake('woken');
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, 'woken')).toEqual({ sent: 3 }),
      30_000,
    );
    await post(database.service, 'woken', 'second');
    running.wake();
    await vi.waitFor(
      async () => expect(await statusesOf(database.admin, 'woken')).toEqual({ sent: 6 }),
      30_000,
    );
  });

  it.each([0, 50])(
    'shares its sends among workspaces that all have a backlog, with %i claimed ahead',
    async (claimAhead) => {
      const workspaces = ['one', 'two', 'three'].map((each) => `${each}-${claimAhead}`);
      const columns = { max_parallel: 30 };
      for (const workspaceId of workspaces) {
        await addSandboxChannels(database.admin, sandbox, {
          workspaceId,
          counts: { telegram: 1 },
          columns,
        });
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
        await vi.waitFor(
          async () => expect(await statusesOf(database.admin, each)).toEqual({ sent: 30 }),
          30_000,
        );
      }
    },
  );
});
