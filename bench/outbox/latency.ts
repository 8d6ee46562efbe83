import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../statistics.ts';
import type { Stores } from '../stores/stores.ts';
import type { Outbox, PreparedOutbox } from './outbox.ts';
import { type TopicKind, topicOn } from './topic.ts';

/** Milliseconds from before the commit to the broker's confirmation, and what it costs to wait for events. */
export interface PublishLatency {
  readonly p50: number;
  readonly p99: number;
  readonly all: readonly number[];
  /** CPU of PostgreSQL and this process while there are no events, per cent of a core. */
  readonly idlePercent: number;
}

const samples = 300;
/** Before the measurement: code is compiled, connections are open, plans are made. */
const unmeasured = 50;
const longestWaitMs = 10_000;
const idleMs = 2000;

export async function measureLatency(
  outbox: Outbox,
  stores: Stores,
  kind: TopicKind,
): Promise<PublishLatency> {
  const [postgres, broker] = await Promise.all([stores.get('postgres'), stores.get(kind)]);
  const databaseUrl = await postgres.createDatabase();
  const topic = topicOn(kind, await broker.createDatabase());
  const prepared = await outbox.prepare(databaseUrl, topic);
  const waiting = new Map<string, (at: number) => void>();
  try {
    await prepared.start((eventId) => waiting.get(eventId)?.(performance.now()));
    await emitMany(prepared, waiting, unmeasured);
    await postgres.settle(databaseUrl, true);
    const all = await emitMany(prepared, waiting, samples);

    const before = postgres.cpuMicros();
    const nodeBefore = process.cpuUsage();
    await delay(idleMs);
    const node = process.cpuUsage(nodeBefore);
    const idleMicros = postgres.cpuMicros() - before + node.user + node.system;
    return {
      p50: percentile(all, 50),
      p99: percentile(all, 99),
      all,
      idlePercent: (100 * idleMicros) / (1000 * idleMs),
    };
  } finally {
    await prepared.close();
    await postgres.dropDatabase(databaseUrl);
  }
}

/** Emits events one after the other, with pauses of random length in which everything comes to rest. */
async function emitMany(
  prepared: PreparedOutbox,
  waiting: Map<string, (at: number) => void>,
  count: number,
): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < count; n += 1) {
    await delay(8 + 12 * Math.random());
    const event = await prepared.emit();
    const { promise: stored, resolve } = Promise.withResolvers<number>();
    waiting.set(event.eventId, resolve);
    const startedAt = performance.now();
    await event.commit();
    found.push((await Promise.race([stored, tooLate()])) - startedAt);
    waiting.delete(event.eventId);
  }
  return found;
}

async function tooLate(): Promise<never> {
  await delay(longestWaitMs, undefined, { ref: false });
  throw new Error(`an event was not published within ${longestWaitMs} ms`);
}
