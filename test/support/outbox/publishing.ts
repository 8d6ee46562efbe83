// Publishers that run within a test.

import type pg from 'pg';
import { z } from 'zod';
import { listenForWakes } from '../../../src/db/listen.ts';
import type { PublishOrder } from '../../../src/db/outbox.ts';
import { openPool } from '../../../src/db/pool.ts';
import { createLog } from '../../../src/log.ts';
import type { Broker, OutboxEvent, Published } from '../../../src/outbox/broker.ts';
import { type Publisher, startPublisher } from '../../../src/outbox/publisher.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { serviceUrl } from '../processes/dispatcher-child.ts';

const Line = z.looseObject({ level: z.string(), message: z.string() });
export type LogLine = z.output<typeof Line>;

export interface PublishingOptions {
  readonly database: TestDatabase;
  readonly broker: Broker;
  readonly order?: PublishOrder;
  readonly maxAttempts?: number;
  readonly batchSize?: number;
  readonly pollMs?: number;
  readonly drainMs?: number;
  readonly publishMs?: number;
  /** The pool of an application, in place of the publisher's own. */
  readonly pool?: pg.Pool;
  /** Whether it is notified of commits. Otherwise it only polls. */
  readonly isTold?: boolean;
}

export interface RunningPublisher extends Publisher {
  readonly lines: readonly LogLine[];
}

export function startPublishing(options: PublishingOptions): RunningPublisher {
  const { database, broker, isTold = false } = options;
  const lines: LogLine[] = [];
  const url = serviceUrl(database);
  const patience = { connectTimeoutMs: 2000, statementTimeoutMs: 10_000, silenceMs: 1000 };
  const own = openPool({ url, applicationName: 'publisher', max: 3, ...patience });
  const pool = options.pool ?? own;
  const publisher = startPublisher({
    pool,
    broker,
    log: createLog({
      level: 'debug',
      pretty: false,
      write: (line) => lines.push(Line.parse(JSON.parse(line))),
    }),
    batchSize: options.batchSize ?? 50,
    maxAttempts: options.maxAttempts ?? 3,
    order: options.order ?? 'none',
    pollMs: options.pollMs ?? 20,
    drainMs: options.drainMs ?? 20_000,
    publishMs: options.publishMs,
  });
  const listener = isTold
    ? listenForWakes({
        url,
        applicationName: 'publisher listen',
        channel: 'outrider_outbox',
        onWake: () => publisher.wake(),
      })
    : undefined;
  return {
    ...publisher,
    lines,
    async stop() {
      await Promise.all([publisher.stop(), listener?.stop()]);
      await own.end();
    },
  };
}

export interface HeldBroker extends Broker {
  /** The events of each call of `publish` so far. */
  readonly calls: readonly (readonly OutboxEvent[])[];
  /** Ends the calls that wait, with this result for each event. `isForGood`: later calls end so, too. */
  release(result?: Published, isForGood?: boolean): void;
}

/** A broker whose answers come from the test. A call whose signal aborts ends as `unavailable`. */
export function heldBroker(): HeldBroker {
  const calls: (readonly OutboxEvent[])[] = [];
  let waiting: ((result: Published) => void)[] = [];
  let always: Published | undefined;
  return {
    name: 'held',
    calls,
    check: async () => ({ ok: true }),
    async publish(events, signal) {
      calls.push(events);
      const { promise, resolve } = Promise.withResolvers<Published>();
      if (always === undefined) waiting.push(resolve);
      else resolve(always);
      const fault = { kind: 'unavailable', code: 'aborted', message: 'it was given up' } as const;
      signal.addEventListener('abort', () => resolve({ ok: false, fault }), { once: true });
      const result = await promise;
      return events.map(() => result);
    },
    close: async () => undefined,
    release(result = { ok: true }, isForGood = false) {
      if (isForGood) always = result;
      for (const resolve of waiting.splice(0)) resolve(result);
      waiting = [];
    },
  };
}
