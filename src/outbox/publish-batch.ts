// One batch on its way: fetched, published and marked in one transaction, so that whoever dies in between
// leaves the events as they were.
//
//   begin → fetch (the rows are locked) → publish → mark what was stored, and what was not → commit

import { performance } from 'node:perf_hooks';
import {
  type FailedEvent,
  type FetchedEvent,
  fetchUnpublished,
  markPublished,
  markPublishFailed,
  type PublishOrder,
} from '../db/outbox.ts';
import { type ConnectionSource, inTransaction } from '../db/transaction.ts';
import { DatabaseAwayError, OutriderError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Broker, type BrokerFault, orderingKeyOf, type Published } from './broker.ts';

export interface BatchOptions {
  readonly pool: ConnectionSource;
  readonly broker: Broker;
  readonly log: Log;
  readonly batchSize: number;
  readonly maxAttempts: number;
  readonly order: PublishOrder;
  /** The longest that a batch waits for the broker; the transaction is open meanwhile. */
  readonly publishMs: number;
}

export interface BatchReport {
  readonly fetched: number;
  readonly published: number;
  readonly failed: number;
  /** What kept the broker from taking any of them, if it took none. */
  readonly outage: BrokerFault | undefined;
}

interface Sent {
  readonly event: FetchedEvent;
  readonly result: Published;
}

/** What the server waits for us beyond the time that publishing may take. */
const idleMarginMs = 10_000;

/** Throws when the database cannot be asked; what was published and not marked will be published again. */
export async function publishBatch(
  options: BatchOptions,
  signal: AbortSignal,
): Promise<BatchReport> {
  const { pool, log, batchSize: limit, maxAttempts, order, publishMs } = options;
  const idleMs = publishMs + idleMarginMs;
  let sent: readonly Sent[] = [];
  let became: readonly FailedEvent[] = [];
  try {
    await inTransaction(pool, { idleMs }, async (transaction) => {
      const events = await fetchUnpublished(transaction, { limit, maxAttempts, order });
      if (events.length === 0) return;
      sent = await send(events, options, AbortSignal.any([signal, AbortSignal.timeout(publishMs)]));
      const stored = sent.filter(({ result }) => result.ok).map(({ event }) => event.eventId);
      if (stored.length > 0) await markPublished(transaction, stored);
      const failures = sent.flatMap(({ event: { eventId }, result }) =>
        result.ok ? [] : [{ eventId, error: wordsOf(result.fault) }],
      );
      if (failures.length > 0) {
        became = await markPublishFailed(transaction, failures, maxAttempts);
      }
    });
  } catch (error) {
    tellUnmarked(log, sent, error);
    throw error;
  }
  tell(options, sent, became);
  return reportOf(sent);
}

function reportOf(sent: readonly Sent[]): BatchReport {
  const faults = sent.flatMap(({ result }) => (result.ok ? [] : [result.fault]));
  const published = sent.length - faults.length;
  const away = faults
    .filter(({ kind }) => kind === 'unavailable')
    .toSorted((a, b) => (b.retryAfterMs ?? 0) - (a.retryAfterMs ?? 0));
  return {
    fetched: sent.length,
    published,
    failed: faults.length,
    // One that is refused was at least looked at.
    outage: away.length === sent.length ? away[0] : undefined,
  };
}
