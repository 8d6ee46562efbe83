// The publisher: carries events from the outbox to a broker, batch after batch. Any number of them run side
// by side; the locks of a fetch keep them apart.
//
//   looking  → the broker cannot be reached → away: no event is taken; looks again after 250 ms to 10 s
//   looking  → a batch → looking, at once
//   looking  → nothing to take → idle: until it is woken, a backoff ends, or `pollMs` are over
//   any      → stop() → the batch under way is finished and committed → stopped

import { setTimeout as delay } from 'node:timers/promises';
import { createAlarm } from '../alarm.ts';
import { waitAfter } from '../backoff.ts';
import { nextPublishAt } from '../db/outbox.ts';
import { OutriderError } from '../errors.ts';
import { type Health, healthy, type Service } from '../service.ts';
import type { BrokerFault } from './broker.ts';
import { type BatchOptions, publishBatch } from './publish-batch.ts';

export interface PublisherOptions extends BatchOptions {
  /** How long it sleeps at most when nothing wakes it. */
  readonly pollMs: number;
  /** How long the batch under way may go on after stop(). */
  readonly drainMs: number;
}

export interface Publisher extends Service {
  /** Events may be there. */
  wake(): void;
}

const outage = { baseMs: 250, capMs: 10_000 };
/** Nobody is left alone for longer, whatever they ask: `check` knows whether it is over. */
const longestRestMs = 60_000;
const raceMs = 20;
const silentMs = 30_000;

export function startPublisher(options: PublisherOptions): Publisher {
  const { pool, broker, log, maxAttempts, pollMs, drainMs } = options;
  const alarm = createAlarm();
  const stopping = new AbortController();
  const breakingOff = new AbortController();
  let failures = 0;
  let health: Health = { ok: false, reason: 'has not looked for events yet' };
  let lookedAt = Date.now();
  /** A batch was taken a moment ago: it need not be asked whether the broker is there. */
  let isBrokerThere = false;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const wait = await look();
      lookedAt = Date.now();
      // What wakes us does not bring a broker or a database back.
      if (failures > 0) await delay(wait, undefined, { signal: stopping.signal }).catch(() => {});
      else if (wait > 0) await alarm.sleep(wait);
    }
  }

  /** Publishes a batch, if there is one and the broker is there; answers how long there is nothing to do. */
  async function look(): Promise<number> {
    try {
      const checked = isBrokerThere ? { ok: true as const } : await broker.check(stopping.signal);
      isBrokerThere = false;
      if (stopping.signal.aborted) return 0;
      if (!checked.ok) return away(checked.fault);
      const report = await publishBatch(options, breakingOff.signal);
      if (report.outage !== undefined) return away(report.outage);
      const wait = report.fetched > 0 ? 0 : await untilDue();
      isBrokerThere = wait === 0 && report.published === report.fetched;
      well();
      return wait;
    } catch (error) {
      isBrokerThere = false;
      const words = error instanceof OutriderError ? error.message : String(error);
      return failed(`the database cannot be asked: ${words}`);
    }
  }

  async function untilDue(): Promise<number> {
    const due = await nextPublishAt(pool, maxAttempts);
    if (due === null) return pollMs;
    return Math.min(pollMs, Math.max(raceMs, due.getTime() - Date.now()));
  }

  function away({ message, retryAfterMs = 0 }: BrokerFault): number {
    return Math.max(
      failed(`the broker cannot be reached: ${message}`),
      Math.min(retryAfterMs, longestRestMs),
    );
  }

  function failed(reason: string): number {
    failures += 1;
    if (failures === 1) log.warn('publishing has stopped', { reason });
    health = { ok: false, reason };
    return waitAfter(failures, outage, Math.random());
  }

  function well(): void {
    if (failures > 0) log.info('publishing goes on');
    failures = 0;
    health = healthy;
  }

  const running = run();
  const { batchSize, order } = options;
  log.info('publishing', { broker: broker.name, batch_size: batchSize, order });

  return {
    name: 'publish',
    wake: () => alarm.ring(),
    health() {
      const sinceMs = Date.now() - lookedAt;
      if (!health.ok || sinceMs < silentMs + pollMs) return health;
      return { ok: false, reason: `has not looked for events for ${sinceMs} ms` };
    },
    async stop() {
      stopping.abort();
      alarm.ring();
      const late = setTimeout(() => breakingOff.abort(), drainMs);
      await running;
      clearTimeout(late);
    },
  };
}
