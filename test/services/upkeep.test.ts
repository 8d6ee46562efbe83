import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/config.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { openDatabase as openAsConfigured } from '../../src/db/open.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { startUpkeep, type UpkeepOptions } from '../../src/dispatch/upkeep.ts';
import { createLog } from '../../src/log.ts';
import { healthy, type Service } from '../../src/service.ts';
import { tables } from '../support/database/catalogue.ts';
import { addBacklog, addChannel, addWorkspace } from '../support/database/seed.ts';
import { openSessions, type Session } from '../support/database/sessions.ts';
import { openDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { WatchedClient } from '../support/database/watched-client.ts';
import { statusesOf } from '../support/sandbox/sandbox-posts.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

// Each test has a database of its own, in which no day has a partition of events yet.

let database: TestDatabase;
let lines: string[];
const undo: (() => unknown)[] = [];
const sessions = openSessions();

beforeEach(async () => {
  database = await openDatabase();
  lines = [];
});

afterEach(async () => {
  await sessions.endAll();
  for (const step of undo.splice(0).toReversed()) await step();
  await database.close();
});

function upkeepOf(client: Queryable, options: Partial<UpkeepOptions> = {}): Service {
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) });
  const pace = { recoverEveryMs: 20, partitionsRetryMs: 20 };
  const upkeep = startUpkeep({ client, log, onRecovered: () => undefined, ...pace, ...options });
  undo.push(() => upkeep.stop());
  return upkeep;
}

/** A tenant who has read the events and left the transaction open. */
async function openReader(): Promise<Session> {
  await addWorkspace(database.admin, 'reader');
  const tenant = await database.connectAs({ workspaces: ['reader'], roles: ['outrider_reader'] });
  const reader = await sessions.open(tenant);
  await reader.client.query('select from outrider.events');
  return reader;
}

/** A workspace with a delivery whose sender has died a minute ago. */
async function addDeadSender(workspaceId: string): Promise<void> {
  await addWorkspace(database.admin, workspaceId, { recovery_backoff: '1 hour' });
  await addChannel(database.admin, workspaceId, 'news');
  await addBacklog(database.admin, workspaceId, ['news'], 1);
  const request = { workspaceId, runId: 'run', limit: 1 };
  expect(await claimDeliveries(database.service, request)).toHaveLength(1);
  await database.admin.query(
    "update outrider.leases set lease_until = now() - interval '1 minute' where workspace_id = $1",
    [workspaceId],
  );
}

async function toBeRecovered(workspaceId: string): Promise<void> {
  await vi.waitFor(
    async () => expect(await statusesOf(database.admin, workspaceId)).toEqual({ retry: 1 }),
    30_000,
  );
}

const Named = z.looseObject({ workspace_id: z.string() });

async function partitions(): Promise<number> {
  return (await tables(database.admin)).filter((table) => table.partition).length;
}

describe('while a reader keeps partitions of events from being made', () => {
  it('what a dead sender has left is given back all the same', async () => {
    const reader = await openReader();
    const client = new WatchedClient(database.service);
    const upkeep = upkeepOf(client);
    await vi.waitFor(
      () => expect(client.callsOf('ensure_event_partitions')).toHaveLength(1),
      30_000,
    );
    await addDeadSender('at-once');
    await toBeRecovered('at-once');
    const failed = () =>
      client.callsOf('ensure_event_partitions').filter((call) => call.ended === 'failed');
    await vi.waitFor(() => expect(failed().length).toBeGreaterThan(1), 30_000);
    await addDeadSender('later');
    await toBeRecovered('later');
    const reason = 'cannot make partitions of the event log';
    expect(upkeep.health()).toEqual({ ok: true, reason });
    expect(lines.filter((line) => line.includes(`transactions: ${reader.pid}`))).toHaveLength(1);
  });

  it('they are tried again, and made when it is gone', async () => {
    const reader = await openReader();
    const upkeep = upkeepOf(database.service);
    await vi.waitFor(() => expect(upkeep.health()).toHaveProperty('reason'), 30_000);
    expect(await partitions()).toBe(1);
    await reader.commit();
    await vi.waitFor(async () => expect(await partitions()).toBe(9), 30_000);
    await vi.waitFor(() => expect(upkeep.health()).toEqual(healthy), 30_000);
  });

  it('a process starts', async () => {
    await openReader();
    const opened = await openAsConfigured(loadConfig({ DATABASE_URL: database.url }));
    expect(await partitions()).toBe(1);
    await opened.close();
  });
});

describe('a workspace whose leases cannot be recovered', () => {
  it('keeps no other from it, is named in the log once, and does not make the process unfit', async () => {
    for (const workspaceId of ['a-broken', 'b-whole', 'c-broken', 'd-whole']) {
      await addDeadSender(workspaceId);
    }
    await database.admin.query(`
      create function public.break_workspace() returns trigger language plpgsql as
        $$ begin raise exception 'this workspace is broken'; end $$;
      create trigger break_workspace before update on outrider.deliveries for each row
        when (old.workspace_id like '%broken') execute function public.break_workspace()`);
    const client = new WatchedClient(database.service);
    const upkeep = upkeepOf(client);
    await Promise.all(['b-whole', 'd-whole'].map(toBeRecovered));
    const turns = () => client.callsOf('stale_workspaces').length;
    await vi.waitFor(() => expect(turns()).toBeGreaterThan(5), 30_000);
    const named = lines.filter((line) => line.includes('this workspace is broken'));
    const ofWorkspace = named.map((line) => Named.parse(JSON.parse(line)).workspace_id);
    expect(ofWorkspace.toSorted()).toEqual(['a-broken', 'c-broken']);
    expect(upkeep.health()).toEqual(healthy);

    await database.admin.query('drop trigger break_workspace on outrider.deliveries');
    await Promise.all(['a-broken', 'c-broken'].map(toBeRecovered));
    // The line follows the commit.
    const recovered = () => lines.filter((line) => line.includes('are recovered again'));
    await vi.waitFor(() => expect(recovered()).toHaveLength(2), 30_000);
  });
});

describe('a database that was away', () => {
  it('is not recovered in for 3 s, so that those who hold outcomes commit them first', async () => {
    await addDeadSender('north');
    const clock = createManualClock();
    let isAway = true;
    const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const client = new WatchedClient({
      query: (...args: [string | pg.QueryConfig]) =>
        isAway ? Promise.reject(lost) : database.service.query(...args),
    });
    upkeepOf(client, { clock, recoverEveryMs: 1000 });
    const looks = (ended: string) =>
      client.callsOf('stale_workspaces').filter((call) => call.ended === ended).length;
    await vi.waitFor(() => expect(looks('failed')).toBe(1), 30_000);
    isAway = false;
    let answeredAt = 0;
    while (client.callsOf('recover_leases').length === 0) {
      const before = looks('answered');
      clock.advance(50);
      await new Promise(setImmediate);
      if (before === 0 && looks('answered') === 1) answeredAt = clock.now();
    }
    expect(clock.now() - answeredAt).toBeGreaterThan(2800);
    await toBeRecovered('north');
  });
});

describe('the samples of the status page', () => {
  it('are taken of every workspace', async () => {
    for (const workspaceId of ['city', 'town']) {
      await addWorkspace(database.admin, workspaceId);
      await addChannel(database.admin, workspaceId, 'news');
      await addBacklog(database.admin, workspaceId, ['news'], 2);
    }
    upkeepOf(database.service);
    await vi.waitFor(async () => {
      const { rows } = await database.admin.query(
        'select workspace_id, due from outrider.queue_samples order by workspace_id',
      );
      expect(rows).toEqual([
        { workspace_id: 'city', due: 2 },
        { workspace_id: 'town', due: 2 },
      ]);
    }, 30_000);
  });
});
