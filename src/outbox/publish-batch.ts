// One batch: it is fetched, published and marked in one transaction. A publisher that dies in between leaves the events
// as they were.
//
//   begin → fetch (the rows are locked) → publish → mark what was stored, and what was not → commit

import { inIso } from '../db/columns.ts';
import {
  type FailedEvent,
  type FetchedEvent,
  fetchUnpublished,
  markPublished,
  markPublishFailed,
  type PublishOrder,
} from '../db/outbox.ts';
import type { Queryable } from '../db/pool.ts';
import { type ConnectionSource, inTransaction } from '../db/transaction.ts';
import type { Log } from '../log.ts';
import type { Broker, BrokerFault } from './broker.ts';
import { type Sent, sendBatch } from './send-batch.ts';

export interface BatchOptions {
  readonly pool: ConnectionSource;
  readonly broker: Broker;
  readonly log: Log;
  readonly batchSize: number;
  readonly maxAttempts: number;
  readonly order: PublishOrder;
  /** How long a batch waits for the broker at most; its transaction is open meanwhile. */
  readonly publishMs?: number | undefined;
}

export interface BatchReport {
  readonly fetched: number;
  readonly published: number;
  readonly failed: number;
  /** Why the broker took none of them; undefined: it took some, or refused some. */
  readonly outage: BrokerFault | undefined;
}

const defaultPublishMs = 10_000;
/** The server ends our transaction this long after publishing should have ended. */
const idleMarginMs = 10_000;

/**
 * Throws when the database cannot be asked: then what was published is not marked, and will be published again. The
 * signal ends the wait for the broker; an event that is not confirmed by then has failed.
 */
export async function publishBatch(
  options: BatchOptions,
  signal: AbortSignal,
): Promise<BatchReport> {
  const { pool, broker, log, batchSize, maxAttempts, order } = options;
  const { publishMs = defaultPublishMs } = options;
  let events: readonly FetchedEvent[] = [];
  let sent: readonly Sent[] = [];
  let became: readonly FailedEvent[] = [];
  try {
    await inTransaction(pool, { idleMs: publishMs + idleMarginMs }, async (transaction) => {
      events = await fetchUnpublished(transaction, { limit: batchSize, maxAttempts, order });
      if (events.length === 0) return;
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(publishMs)]);
      sent = await sendBatch(events, { broker, log, order }, inTime);
      became = await mark(transaction, sent, maxAttempts);
    });
  } catch (error) {
    tellUnmarked(log, sent, error);
    throw error;
  }
  tellPublished(options, sent);
  tellFailed(log, sent, became);
  return reportOf(events.length, sent);
}

async function mark(
  transaction: Queryable,
  sent: readonly Sent[],
  maxAttempts: number,
): Promise<FailedEvent[]> {
  const stored = sent.flatMap(({ event, result }) => (result.ok ? [event.eventId] : []));
  if (stored.length > 0) await markPublished(transaction, stored);
  const failures = sent.flatMap(({ event: { eventId }, result }) =>
    result.ok
      ? []
      : [{ eventId, error: wordsOf(result.fault), refused: result.fault.kind === 'refused' }],
  );
  return failures.length > 0 ? markPublishFailed(transaction, failures, maxAttempts) : [];
}

function wordsOf({ kind, code, message }: BrokerFault): string {
  return `${kind} (${code}): ${message}`;
}

function reportOf(fetched: number, sent: readonly Sent[]): BatchReport {
  const faults = sent.flatMap(({ result }) => (result.ok ? [] : [result.fault]));
  // A broker that confirms or refuses at least one event is not away.
  const away = faults.filter(({ kind }) => kind === 'unavailable');
  const [longest] = away.toSorted((a, b) => (b.retryAfterMs ?? 0) - (a.retryAfterMs ?? 0));
  return {
    fetched,
    published: sent.length - faults.length,
    failed: faults.length,
    outage: away.length === sent.length ? longest : undefined,
  };
}

function factsOf(event: FetchedEvent): Record<string, unknown> {
  return {
    event_id: event.eventId,
    event_type: event.eventType,
    aggregate_type: event.aggregateType,
    aggregate_id: event.aggregateId,
  };
}

function tellPublished({ broker, log }: BatchOptions, sent: readonly Sent[]): void {
  // The broker `log:` has already written a line with the same facts.
  const level = broker.name === 'log' ? 'debug' : 'info';
  for (const { event, result } of sent) {
    if (!result.ok) continue;
    const { isRepeat, brokerId } = result;
    log[level]('published', {
      ...factsOf(event),
      ...(brokerId === undefined ? {} : { broker_id: brokerId }),
      ...(isRepeat === true ? { repeat: true } : {}),
    });
  }
}

function tellFailed(log: Log, sent: readonly Sent[], became: readonly FailedEvent[]): void {
  const answers = new Map(became.map((each) => [each.eventId, each]));
  for (const { event, result } of sent) {
    if (result.ok) continue;
    const answer = answers.get(event.eventId);
    const next = answer?.nextAttemptAt ?? undefined;
    log.warn(answer?.became === 'given_up' ? 'given up until it is replayed' : 'not published', {
      ...factsOf(event),
      given_up: answer?.givenUp ?? undefined,
      attempt_count: answer?.attemptCount,
      last_error: wordsOf(result.fault),
      next_attempt_at: next === undefined ? undefined : inIso(next),
    });
  }
}

// This line is the reason when a consumer gets an event twice.
function tellUnmarked(log: Log, sent: readonly Sent[], error: unknown): void {
  for (const { event, result } of sent) {
    if (!result.ok) continue;
    log.warn('published, but perhaps not marked: it may be published again', {
      ...factsOf(event),
      error: String(error),
    });
  }
}
