import os from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { watchLag } from '../../src/dispatch/lag.ts';
import { silentLog } from '../../src/log.ts';
import { createStoreFacts, type FreeSpace } from '../../src/monitor/store-facts.ts';
import { type Outrider, openOutrider, type RoleName } from '../../src/outrider.ts';
import { healthy } from '../../src/service.ts';
import { addBacklog, addChannel, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

const database = await useDatabase();
const sessions = useSessions();
const folder = await useFolder();
const undo = useUndo();

async function start(...roles: RoleName[]): Promise<Outrider> {
  const given = { databaseUrl: database.url, http: { port: 0 }, dataDir: folder };
  const outrider = await openOutrider(given, {
    log: silentLog,
    answersHealth: true,
    intervals: { beatEveryMs: 50 },
  });
  undo.push(() => outrider.stop());
  await outrider.start(roles);
  return outrider;
}

const Row = z.object({
  host: z.string(),
  pid: z.string(),
  roles: z.array(z.string()),
  ready: z.boolean(),
});

const seen = (): Promise<z.output<typeof Row>[]> =>
  queryRows(
    database.admin,
    Row,
    'select host, pid::text, roles, ready from outrider.service_heartbeats',
  );

describe('a process that runs roles', () => {
  it('gives signs of life, and takes them away when it stops in order', async () => {
    const outrider = await start('dispatch', 'upkeep', 'monitor');
    const expected = { host: os.hostname(), pid: String(process.pid), ready: true };
    await vi.waitFor(
      async () =>
        expect(await seen()).toEqual([{ ...expected, roles: ['dispatch', 'upkeep', 'monitor'] }]),
      30_000,
    );
    await outrider.stop();
    expect(await seen()).toEqual([]);
  });

  it.each([[['dispatch']], [['upkeep']], [['monitor']], [['publish']]] as const)(
    'answers /healthz and /readyz although it takes no posts in: %j',
    async (roles) => {
      const { url } = await start(...roles);
      await vi.waitFor(async () => {
        expect((await fetch(`${url}/healthz`)).status).toBe(200);
        const ready = await fetch(`${url}/readyz`);
        expect(await ready.json()).toMatchObject({ ready: true });
      }, 30_000);
    },
  );
});

describe('a dispatcher', () => {
  it('is not ready when nobody sends what has been due for two minutes, unless somebody holds it locked', async () => {
    await addWorkspace(database.admin, 'late');
    await addChannel(database.admin, 'late', 'news');
    await addBacklog(database.admin, 'late', ['news'], 1);
    const clock = createManualClock();
    const health = watchLag({ client: database.service, clock });
    expect(health()).toEqual(healthy);
    await vi.waitFor(() => {
      clock.advance(5000);
      expect(health()).toMatchObject({
        ok: false,
        reason: expect.stringMatching(
          /^a delivery of workspace late has been due for \d+ min, and nobody sends it$/,
        ),
      });
    }, 30_000);
    const tenant = await sessions.open(database.admin);
    await tenant.client.query(
      `select from outrider.channels where workspace_id = 'late' for update`,
    );
    await vi.waitFor(() => {
      clock.advance(5000);
      expect(health()).toMatchObject({
        ok: true,
        reason: expect.stringMatching(/^a delivery of workspace late .+ holds rows locked$/),
      });
    }, 30_000);
    await tenant.commit();
    await database.admin.query(`update outrider.workspaces set status = 'paused'`);
    await vi.waitFor(() => {
      clock.advance(5000);
      expect(health()).toEqual(healthy);
    }, 30_000);
  });

  it('asks the database at most every 5 s', () => {
    const clock = createManualClock();
    let times = 0;
    const query = async (): Promise<never> => {
      times += 1;
      throw new Error('away');
    };
    const health = watchLag({ client: { query }, clock });
    for (let n = 0; n < 10; n += 1) health();
    expect(times).toBe(1);
  });
});

describe('what a process knows about its store', () => {
  const plenty: FreeSpace = { freeBytes: 10 ** 11, totalBytes: 10 ** 12 };
  const facts = (space: FreeSpace, prepare = async (): Promise<void> => undefined) =>
    createStoreFacts({
      clock: createManualClock(),
      dataDir: '/data',
      prepare,
      freeSpace: async () => space,
    })();

  it('is nothing while media can be kept', async () => {
    expect(await facts(plenty)).toEqual({});
  });

  it.each([
    { freeBytes: 400 * 2 ** 20, totalBytes: 2 ** 30 },
    { freeBytes: 10 * 2 ** 30, totalBytes: 1000 * 2 ** 30 },
  ])('is how little is left of the disk: %j', async (space) => {
    const left = Math.floor(space.freeBytes / 2 ** 20);
    expect(await facts(space)).toEqual({
      store_refuses: `the disk of /data has ${left} MB left`,
    });
  });

  it('is why the store refuses, asked once a minute', async () => {
    const clock = createManualClock();
    let times = 0;
    const prepare = async (): Promise<never> => {
      times += 1;
      throw new Error('media cannot be kept in /data');
    };
    const ask = createStoreFacts({
      clock,
      dataDir: '/data',
      prepare,
      freeSpace: async () => plenty,
    });
    expect(await ask()).toEqual({ store_refuses: 'media cannot be kept in /data' });
    clock.advance(59_999);
    await ask();
    expect(times).toBe(1);
    clock.advance(1);
    await ask();
    expect(times).toBe(2);
  });
});
