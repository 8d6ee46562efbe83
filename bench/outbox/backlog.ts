// Compares what a batch costs with a long backlog and with a short one. The broker confirms at once: its work does not
// depend on the backlog, and would hide what does.

import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { openPool } from '../../src/db/pool.ts';
import { createLog } from '../../src/log.ts';
import type { Broker } from '../../src/outbox/broker.ts';
import { publishBatch } from '../../src/outbox/publish-batch.ts';
import { type Admin, openAdmin } from '../outrider/workload.ts';
import { median } from '../statistics.ts';
import type { Store } from '../stores/store.ts';
import { installOutbox, seeding } from './outrider.ts';
import { nextMessages, peerSchema, peerSeeding, peerTable } from './pg-transactional-outbox.ts';

export interface Ground {
  readonly waiting: number;
  /** Takes and publishes a batch. Returns how many milliseconds that took. */
  batch(): Promise<number>;
  /** Adds events until as many wait as before. */
  refill(): Promise<void>;
  close(): Promise<void>;
}

export const batchSize = 50;
/** The number of batches in each repetition, for each ground. */
const batches = 200;
/** A pause after each refill, so that its writes to disk do not slow the next batch. */
const restMs = 20;

export type MakeGround = (store: Store, waiting: number) => Promise<Ground>;

/** Medians. The grounds take turns batch by batch, and each is first equally often: slow moments hit both alike. */
export async function measureGrounds(grounds: readonly Ground[], count = batches) {
  const found = new Map(grounds.map((ground) => [ground, [] as number[]]));
  for (let n = 0; n < count; n += 1) {
    const turn = n % 2 === 0 ? grounds : grounds.toReversed();
    for (const ground of turn) found.get(ground)?.push(await ground.batch());
    for (const ground of turn) await ground.refill();
    await delay(restMs);
  }
  return grounds.map((ground) => median(found.get(ground) ?? []));
}

const instantBroker: Broker = {
  name: 'instant',
  check: async () => ({ ok: true }),
  publish: async (events) => events.map(() => ({ ok: true })),
  close: async () => undefined,
};

export const outriderGround: MakeGround = async (store, waiting) => {
  const url = await store.createDatabase();
  const { serviceUrl } = await installOutbox(url);
  const admin = await fill(url, seeding, waiting);
  const pool: pg.Pool = openPool({ url: serviceUrl, applicationName: 'bench publish', max: 1 });
  const log = createLog({ level: 'info', pretty: false, write: () => undefined });
  const options = { pool, broker: instantBroker, log, batchSize, maxAttempts: 10 } as const;
  return {
    waiting,
    async batch() {
      const startedAt = performance.now();
      const { published } = await publishBatch(
        { ...options, order: 'none' },
        new AbortController().signal,
      );
      const ms = performance.now() - startedAt;
      if (published !== batchSize) throw new Error(`a batch of ${published}`);
      return ms;
    },
    refill: async () => void (await admin.query(seeding, [batchSize])),
    async close() {
      await Promise.all([pool.end(), admin.end()]);
      await store.dropDatabase(url);
    },
  };
};

/** Measures only the peer's fetch, and undoes it: the work of its handlers does not depend on the backlog. */
export const peerGround: MakeGround = async (store, waiting) => {
  const url = await store.createDatabase();
  const setup = await openAdmin(url);
  await setup.query(peerSchema(url));
  await setup.end();
  const admin = await fill(url, peerSeeding, waiting);
  const fetch = `select * from ${peerTable.split('.')[0]}.${nextMessages}(${batchSize}, 5000)`;
  return {
    waiting,
    async batch() {
      await admin.query('begin isolation level repeatable read');
      const startedAt = performance.now();
      await admin.query(fetch);
      const ms = performance.now() - startedAt;
      await admin.query('rollback');
      return ms;
    },
    refill: async () => undefined,
    async close() {
      await admin.end();
      await store.dropDatabase(url);
    },
  };
};

/** Fills the outbox, and leaves it as autovacuum would. */
async function fill(url: string, sql: string, waiting: number): Promise<Admin> {
  const admin = await openAdmin(url);
  await admin.query(sql, [waiting]);
  await admin.query('vacuum analyze');
  await admin.query('checkpoint');
  return admin;
}
