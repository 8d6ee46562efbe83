// Everything at once: publishers are killed, the broker is restarted, PostgreSQL crashes, while several
// programs write. What was committed arrives, what was rolled back does not, and each effect happens once.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { clusterIn } from '../../src/db/embedded/cluster.ts';
import { readPidFile } from '../../src/db/embedded/pid-file.ts';
import { type Server, startServer } from '../../src/db/embedded/server.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { schemaDir } from '../../src/db/open.ts';
import { writeEvent } from '../../src/db/outbox.ts';
import { openPool } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { processOnce } from '../../src/outbox/idempotency/process-once.ts';
import { openRedisStore } from '../../src/outbox/idempotency/redis.ts';
import type { IdempotencyStore } from '../../src/outbox/idempotency/store.ts';
import { missingProgram } from '../support/brokers/debian-package.ts';
import { startRedis } from '../support/brokers/redis.ts';
import { startRedisServer } from '../support/brokers/redis-server.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { aggregateId, anEvent } from '../support/outbox/outbox-events.ts';
import { PublisherProcesses } from '../support/processes/publisher-processes.ts';
import { runPrefix } from '../support/runner/run-folders.ts';

const missing = missingProgram('redis-server', 'redis-server');
const total = 20_000;
const publishers = 3;
const writers = 4;
const perTransaction = 20;

const undo = useUndo();

async function startPostgres(): Promise<Server> {
  const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755); // PostgreSQL's own user passes through
  const server = await startServer({
    dataDir: path.join(folder, 'postgres'),
    // The machine itself stays up: what was written is there after any crash of the server.
    settings: { fsync: 'off' },
    initdbFlags: ['--no-sync'],
  });
  undo.push(() => server.stop());
  await migrate(server.url(), { dir: schemaDir });
  return server;
}

/** Crashes the server; it comes back by itself. */
async function crash(server: Server): Promise<void> {
  const file = await readPidFile(clusterIn(server.home));
  if (file === undefined) throw new Error('the server does not run');
  process.kill(file.pid, 'SIGQUIT');
}

interface Written {
  /** Of transactions whose commit was answered. */
  readonly committed: Set<string>;
  readonly rolledBack: Set<string>;
}

/** One of the programs that write: transactions of events, each seventh rolled back, until there are enough. */
async function write(pool: pg.Pool, written: Written, seed: number): Promise<void> {
  for (let n = 0; written.committed.size < total; n += 1) {
    const ids: string[] = [];
    const isKept = (n + seed) % 7 !== 0;
    try {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const events = Array.from({ length: perTransaction }, (_, index) =>
          writeEvent(client, anEvent(aggregateId((n * perTransaction + index) % 500))),
        );
        ids.push(...(await Promise.all(events)));
        await client.query(isKept ? 'commit' : 'rollback');
        client.release();
      } catch (error) {
        client.release(true);
        throw error;
      }
    } catch {
      // Whether this one is committed, nobody knows; the table will tell.
      await delay(100);
      continue;
    }
    for (const id of ids) (isKept ? written.committed : written.rolledBack).add(id);
  }
}

async function countPublished(admin: pg.Pool): Promise<number> {
  const Count = z.object({ count: z.string() });
  const asked = 'select count(*)::text from outrider.outbox_events where published_at is not null';
  const rows = await queryRows(admin, Count, asked).catch(() => []);
  return Number(rows[0]?.count ?? 0);
}

/** Two processes of one consumer get everything, one from each end, with every repeat. */
async function consume(stores: readonly IdempotencyStore[], ids: readonly string[]) {
  const effects = new Map<string, number>();
  const outcomes = { processed: 0, duplicate: 0, busy: 0 };
  const lane = async (store: IdempotencyStore, queue: string[]): Promise<void> => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const eventId = id;
      const outcome = await processOnce(store, { consumer: 'ledger', eventId }, () => {
        effects.set(eventId, (effects.get(eventId) ?? 0) + 1);
      });
      outcomes[outcome] += 1;
      if (outcome === 'busy') queue.unshift(id); // delivered again
    }
  };
  await Promise.all(
    stores.flatMap((store, index) => {
      const queue = index === 0 ? [...ids] : [...ids].toReversed();
      return Array.from({ length: 32 }, () => lane(store, queue));
    }),
  );
  return { effects, outcomes };
}

describe.runIf(missing === undefined)('chaos', () => {
  it('loses no event, invents none, and applies each effect once', {
    timeout: 600_000,
  }, async () => {
    const startedAt = Date.now();
    const postgres = await startPostgres();
    const broker = await startRedis();
    undo.push(() => broker.close());
    const store = await startRedisServer();
    undo.push(() => store.close());
    const patience = { connectTimeoutMs: 2000, statementTimeoutMs: 10_000, silenceMs: 1000 };
    const url = postgres.url();
    const admin = openPool({ url, applicationName: 'chaos', max: 1 + writers, ...patience });
    undo.push(() => admin.end());

    const running = new PublisherProcesses(
      {
        DATABASE_URL: url,
        OUTRIDER_OUTBOX_BROKER: broker.address(),
        OUTRIDER_OUTBOX_MAX_ATTEMPTS: '100',
        OUTRIDER_LOG_LEVEL: 'error',
      },
      publishers,
    );
    undo.push(() => running.stop());

    const written: Written = { committed: new Set(), rolledBack: new Set() };
    const writing = Promise.all(
      Array.from({ length: writers }, (_, n) => write(admin, written, n)),
    );

    const restartBroker = async (): Promise<void> => {
      await broker.stop();
      await delay(500);
      await broker.start();
    };
    const blows = [
      { at: 0.15, strike: restartBroker },
      { at: 0.4, strike: () => crash(postgres) },
      { at: 0.65, strike: restartBroker },
    ];
    for (let published = 0, random = 7; published < total * 0.9; ) {
      random = (random * 16_807) % 2_147_483_647;
      running.kill(random / 2_147_483_647);
      // However long a new one needs to begin: the next is killed when they have got on.
      const further = Math.min(published + total / 20, total * 0.9);
      const look = async (): Promise<number> => (published = await countPublished(admin));
      await expect.poll(look, { timeout: 120_000, interval: 50 }).toBeGreaterThanOrEqual(further);
      if (published >= total * (blows[0]?.at ?? 1)) await blows.shift()?.strike();
    }
    await writing;
    for (const { strike } of blows) await strike();

    const Row = z.object({ id: z.string() });
    const waiting = 'select id from outrider.outbox_events where published_at is null limit 1';
    await expect
      .poll(() => queryRows(admin, Row, waiting).catch(() => ['no answer']), { timeout: 240_000 })
      .toEqual([]);
    // null: told to stop before it had begun; 143: while it began.
    expect([0, 143, null]).toEqual(expect.arrayContaining(await running.stop()));
    expect(running.kills).toBeGreaterThan(2);

    const rows = await queryRows(admin, Row, 'select id from outrider.outbox_events');
    const kept = new Set(rows.map(({ id }) => id));
    const received = (await broker.received()).map(
      ({ attributes }) => attributes['event_id'] ?? '',
    );
    const arrived = new Set(received);
    expect(written.committed.difference(kept)).toEqual(new Set());
    expect(written.rolledBack.intersection(kept)).toEqual(new Set());
    expect(kept.difference(arrived)).toEqual(new Set());
    expect(arrived.difference(kept)).toEqual(new Set());

    // Here nobody is away any more: a busy machine must not look like it.
    const patient = { url: store.url, timeoutMs: 30_000 };
    const stores = [await openRedisStore(patient), await openRedisStore(patient)];
    for (const each of stores) undo.push(() => each.close());
    const { effects, outcomes } = await consume(stores, received);
    expect([...effects.values()].every((times) => times === 1)).toBe(true);
    expect(effects.size).toBe(kept.size);

    console.log(
      `chaos: ${kept.size} committed, ${written.rolledBack.size} rolled back, ${running.kills} publishers killed; ` +
        `${received.length} at the broker, ${received.length - arrived.size} of them repeats; ` +
        `${effects.size} effects, ${outcomes.duplicate} duplicates turned away; ` +
        `${Math.round((Date.now() - startedAt) / 1000)} s`,
    );
  });
});
