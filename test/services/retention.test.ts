import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ensureEventPartitions } from '../../src/db/events.ts';
import { markPublished } from '../../src/db/outbox.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { startRetention } from '../../src/dispatch/retention.ts';
import { createLog } from '../../src/log.ts';
import { runOutrider } from '../support/cli/run-outrider.ts';
import { addChannel, addDelivery, addWorkspace } from '../support/database/seed.ts';
import { openDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { WatchedClient } from '../support/database/watched-client.ts';
import { emit } from '../support/outbox/outbox-events.ts';
import { createManualClock, type ManualClock } from '../support/time/manual-clock.ts';

// What has expired by the clock of the database, which nobody moves here.

const longAgo = '2020-03-02T10:00:00.000Z';

let database: TestDatabase;
let lines: string[];
let clock: ManualClock;
const undo: (() => unknown)[] = [];

beforeEach(async () => {
  database = await openDatabase();
  lines = [];
  clock = createManualClock();
  await addWorkspace(database.admin, 'north');
  await addChannel(database.admin, 'north', 'news');
});

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
  await database.close();
});

async function addOld(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await addDelivery(database.admin, 'north', 'news', {
      status: 'failed_permanent',
      failed_at: longAgo,
      created_at: longAgo,
    });
  }
  await database.admin.query('update outrider.messages set last_seen_at = $1, created_at = $1', [
    longAgo,
  ]);
}

async function left(table = 'deliveries'): Promise<number> {
  const row = z.object({ count: z.coerce.number() });
  return (await queryRow(database.admin, row, `select count(*) from outrider.${table}`)).count;
}

function startedOn(client: Queryable): void {
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) });
  const chore = startRetention({ client, log, clock, outboxRetention: '30 days' });
  undo.push(() => chore.stop());
}

const purges = (client: WatchedClient): number => client.callsOf('purge_expired').length;

describe('the purge of a process', () => {
  it('deletes what has expired, says what, and comes again after a minute', async () => {
    await addOld(2);
    const client = new WatchedClient(database.service);
    startedOn(client);
    await vi.waitFor(
      async () => expect([await left(), await left('messages')]).toEqual([0, 0]),
      30_000,
    );
    const said = (what: string): boolean =>
      lines.some((line) => line.includes(`"what":"${what}"`) && line.includes('"removed":2'));
    await vi.waitFor(
      () => expect([said('deliveries'), said('messages')]).toEqual([true, true]),
      30_000,
    );
    const before = purges(client);
    await vi.waitFor(() => {
      clock.advance(20_000);
      expect(purges(client)).toBeGreaterThan(before);
    }, 30_000);
  });

  it('rests between batches, and ends with the batch under way when it is told to stop', async () => {
    await addOld(3);
    await database.admin.query(
      `insert into outrider.deliveries
         (workspace_id, delivery_id, status, attempt_limit, not_before, updated_at, failed_at, created_at, message_id,
          channel_id, occurrence, hash_version, trace_id, content_hash, rendered_text)
       select 'north', gen_random_uuid(), 'failed_permanent', 5, $1, $1, $1, $1, message_id, 'news', n + 1, 1, 't', 'h', ''
       from outrider.messages cross join generate_series(1, 400) n`,
      [longAgo],
    );
    const client = new WatchedClient(database.service);
    startedOn(client);
    await vi.waitFor(async () => expect(await left()).toBe(703), 30_000);
    await vi.waitFor(() => expect(clock.waiting()).toBe(1), 30_000);
    expect(purges(client)).toBe(1);
    for (const step of undo.splice(0)) await step();
    expect(purges(client)).toBe(1);
    expect(await left()).toBe(703);
  });

  it('says that it has to wait for others once it has waited twice', async () => {
    await addOld(1);
    const other = await database.admin.connect();
    undo.push(() => other.release());
    await other.query('begin; lock table outrider.event_log in access exclusive mode');
    const client = new WatchedClient(database.service);
    startedOn(client);
    const told = (): number => lines.filter((line) => line.includes('next minute')).length;
    await vi.waitFor(() => expect(clock.waiting()).toBe(1), 30_000);
    expect([purges(client), told()]).toEqual([1, 0]);
    await vi.waitFor(() => {
      clock.advance(20_000);
      expect(told()).toBe(1);
    }, 30_000);
    expect(purges(client)).toBe(2);
    await other.query('rollback');
    await vi.waitFor(async () => {
      clock.advance(20_000);
      expect(await left()).toBe(0);
    }, 30_000);
    expect(told()).toBe(1);
  });

  it('leaves the outbox alone and says so once, unless its login has been given outrider_retention', async () => {
    const { admin, service } = database;
    await markPublished(admin, [await emit(admin)], longAgo);
    const client = new WatchedClient(service);
    startedOn(client);
    const asked = (): number => client.callsOf('purge_outbox').length;
    await vi.waitFor(() => {
      clock.advance(20_000);
      expect(asked()).toBeGreaterThan(2);
    }, 30_000);
    expect(
      lines.filter((line) => line.includes('is no member of outrider_retention')),
    ).toHaveLength(1);
    expect(await left('outbox_events')).toBe(1);

    const roles = ['outrider_service', 'outrider_retention'] as const;
    startedOn(await database.connectAs({ roles }));
    await vi.waitFor(async () => expect(await left('outbox_events')).toBe(0), 30_000);
  });
});

describe('outrider retention', () => {
  it('counts with --dry-run, deletes without, and says of each kind how much', async () => {
    await addOld(3);
    const run = (...args: string[]) => runOutrider(args, { databaseUrl: database.url });
    const counted = await run('retention', '--dry-run', '--json');
    const expected = expect.arrayContaining([
      expect.objectContaining({ what: 'deliveries', workspace_id: 'north', removed: 3 }),
      expect.objectContaining({ what: 'messages', workspace_id: 'north', removed: 3 }),
    ]);
    expect(JSON.parse(counted.out)).toEqual(expected);
    expect(await left()).toBe(3);
    const done = await run('retention', '--json');
    expect([done.code, JSON.parse(done.out)]).toEqual([0, expected]);
    expect(await left()).toBe(0);
    const table = await run('retention', '--format', 'table');
    expect([table.out, table.err]).toEqual(['nothing was deleted\n', '']);
  });

  it('deletes what it has counted, also what waits for the partition of its events', async () => {
    await ensureEventPartitions(database.service, 0, longAgo);
    await addOld(1);
    await database.admin.query(
      `insert into outrider.event_log (workspace_id, id, ts, action, attempt, result, delivery_id)
       select workspace_id, gen_random_uuid(), $1, 'failed_permanent', 1, 'error', delivery_id from outrider.deliveries`,
      [longAgo],
    );
    await database.admin.query('update outrider.deliveries set updated_at = $1', [longAgo]);
    const run = (...args: string[]) => runOutrider(args, { databaseUrl: database.url });
    const expected = expect.arrayContaining([
      expect.objectContaining({ what: 'event_partitions', removed: 1 }),
      expect.objectContaining({ what: 'deliveries', workspace_id: 'north', removed: 1 }),
      expect.objectContaining({ what: 'messages', workspace_id: 'north', removed: 1 }),
    ]);
    expect(JSON.parse((await run('retention', '--dry-run', '--json')).out)).toEqual(expected);
    expect(JSON.parse((await run('retention', '--json')).out)).toEqual(expected);
    expect(await left()).toBe(0);
  });

  it('says which grant lets it purge the outbox, where there are events', async () => {
    await emit(database.admin);
    const { err } = await runOutrider(['retention', '--format', 'table'], {
      databaseUrl: database.url,
    });
    expect(err).toMatch(
      /^outbox events: login "(\w+)" is no member of outrider_retention: .*; to have it purged, grant outrider_retention to \1\n/,
    );
  });

  it('counts and removes raw payloads whose time is over', async () => {
    await database.admin.query(
      `insert into outrider.raw_payloads
         (workspace_id, payload_ref, kind, object_url, key_id, size_bytes, created_at, expires_at)
       select 'north', 'p-' || row_number() over (), 'request', 'folder:none', 'k1', 1, $1, $1::timestamptz + n * interval '20 years'
       from generate_series(0.1, 2.1) n`,
      [longAgo],
    );
    const run = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await runOutrider([...args, '--json'], { databaseUrl: database.url })).out);
    const expected = expect.arrayContaining([
      expect.objectContaining({ what: 'raw_payloads', workspace_id: 'north', removed: 1 }),
    ]);
    expect(await run('retention', '--dry-run')).toEqual(expected);
    expect(await left('raw_payloads')).toBe(3);
    expect(await run('retention')).toEqual(expected);
    expect(await left('raw_payloads')).toBe(2);
  });
});
