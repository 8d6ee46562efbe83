// The publisher carries events from the outbox to a broker, batch after batch. Any number of publishers run side by
// side; the row locks of a fetch keep them apart.
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
import type { Facts } from '../log.ts';
import { type Health, healthy, type Service } from '../service.ts';
import type { BrokerFault, Checked } from './broker.ts';
import { type BatchOptions, publishBatch } from './publish-batch.ts';

export interface PublisherOptions extends BatchOptions {
  /** The longest sleep when nothing wakes it. */
  readonly pollMs: number;
  /** How long the batch under way may go on after stop(). */
  readonly drainMs: number;
}

export interface Publisher extends Service {
  /** Tells it that there may be events. */
  wake(): void;
}

const outage = { baseMs: 250, capMs: 10_000 };
/** The longest rest that a broker is given, whatever it asks for: after that `check` finds out whether it is back. */
const longestRestMs = 60_000;
/** For how long a broker that has answered is not checked again. */
const trustMs = 2000;
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
  /** When the broker last answered. */
  let brokerSeenAt = Number.NEGATIVE_INFINITY;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const wait = await look();
      lookedAt = Date.now();
      // A wake does not bring a broker or a database back: the pause is kept.
      if (failures > 0) await delay(wait, undefined, { signal: stopping.signal }).catch(() => {});
      else if (wait > 0) await alarm.sleep(wait);
    }
  }

  /** Publishes a batch if there is one and the broker answers. Answers how long to wait before the next look. */
  async function look(): Promise<number> {
    try {
      const checked = await checkBroker();
      if (stopping.signal.aborted) return 0;
      if (!checked.ok) return away(checked.fault);
      const report = await publishBatch(options, breakingOff.signal);
      if (report.outage !== undefined) return away(report.outage);
      if (report.failed > 0) brokerSeenAt = Number.NEGATIVE_INFINITY;
      else if (report.published > 0) brokerSeenAt = Date.now();
      const wait = report.fetched > 0 ? 0 : await untilDue();
      well();
      return wait;
    } catch (error) {
      const words = error instanceof OutriderError ? error.message : String(error);
      return failed(`the database cannot be asked: ${words}`);
    }
  }

  // It is also asked while there are no events, so that a new event need not wait for the answer.
  async function checkBroker(): Promise<Checked> {
    if (Date.now() - brokerSeenAt < trustMs) return { ok: true };
    const checked = await broker.check(stopping.signal);
    if (checked.ok) brokerSeenAt = Date.now();
    return checked;
  }

  async function untilDue(): Promise<number> {
    const due = await nextPublishAt(pool, maxAttempts);
    if (due === null) return pollMs;
    return Math.min(pollMs, Math.max(raceMs, due.getTime() - Date.now()));
  }

  function away({ message, retryAfterMs = 0 }: BrokerFault): number {
    const reason = `the broker cannot be reached: ${message}`;
    return failed(reason, Math.min(retryAfterMs, longestRestMs), { broker_at: broker.place });
  }

  function failed(reason: string, restMs = 0, facts: Facts = {}): number {
    failures += 1;
    brokerSeenAt = Number.NEGATIVE_INFINITY;
    health = { ok: false, reason };
    const wait = Math.max(restMs, waitAfter(failures, outage, Math.random()));
    if (failures === 1) {
      const next_attempt_at = new Date(Date.now() + wait).toISOString();
      log.warn('publishing has stopped; it is tried again by itself until it goes on', {
        reason,
        ...facts,
        next_attempt_at,
      });
    }
    return wait;
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
      if (stopping.signal.aborted) return { ok: false, reason: 'it is stopping' };
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
