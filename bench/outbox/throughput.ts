import { setTimeout as delay } from 'node:timers/promises';
import type { Stores } from '../stores/stores.ts';
import type { Outbox } from './outbox.ts';
import { type Link, type TopicKind, topicOn } from './topic.ts';

/** What it cost to publish a backlog. */
export interface Throughput {
  readonly eventsPerSecond: number;
  /** CPU of PostgreSQL, of this process (the worker) and of the broker, µs per event. */
  readonly postgresMicros: number;
  readonly nodeMicros: number;
  readonly brokerMicros: number;
  /** WAL of PostgreSQL, bytes per event. */
  readonly logBytes: number;
}

const longestWaitMs = 300_000;

/** One round with a fresh database and an empty stream, from the publisher's start until all events are marked. */
export async function measureThroughput(
  outbox: Outbox,
  stores: Stores,
  kind: TopicKind,
  events: number,
): Promise<Throughput> {
  const [postgres, broker] = await Promise.all([stores.get('postgres'), stores.get(kind)]);
  const databaseUrl = await postgres.createDatabase();
  const topic = topicOn(kind, await broker.createDatabase());
  const link = await topic.open();
  const prepared = await outbox.prepare(databaseUrl, topic);
  try {
    await prepared.seed(events);
    await postgres.settle(databaseUrl, true);
    const logBefore = await postgres.logBytes();
    const before = { postgres: postgres.cpuMicros(), broker: broker.cpuMicros() };
    const nodeBefore = process.cpuUsage();
    const startedAt = performance.now();

    const { promise: allStored, resolve } = Promise.withResolvers<void>();
    let stored = 0;
    await prepared.start(() => {
      stored += 1;
      if (stored === events) resolve();
    });
    await Promise.race([allStored, tooLate(outbox.name)]);
    // An event is marked a moment after it was stored.
    while ((await prepared.remaining()) > 0) await delay(1);

    const seconds = (performance.now() - startedAt) / 1000;
    const node = process.cpuUsage(nodeBefore);
    const postgresMicros = postgres.cpuMicros() - before.postgres;
    const brokerMicros = broker.cpuMicros() - before.broker;
    const logBytes = (await postgres.logBytes()) - logBefore;
    await requireAll(link, outbox, events);
    return {
      eventsPerSecond: events / seconds,
      postgresMicros: postgresMicros / events,
      nodeMicros: (node.user + node.system) / events,
      brokerMicros: brokerMicros / events,
      logBytes: logBytes / events,
    };
  } finally {
    await prepared.close();
    await link.close();
    await postgres.dropDatabase(databaseUrl);
  }
}

async function requireAll(link: Link, { name }: Outbox, events: number): Promise<void> {
  const arrived = await link.stored();
  if (arrived !== events) throw new Error(`${name}: ${arrived} of ${events} events arrived`);
}

async function tooLate(name: string): Promise<never> {
  await delay(longestWaitMs, undefined, { ref: false });
  throw new Error(`${name} has not published everything within ${longestWaitMs} ms`);
}
