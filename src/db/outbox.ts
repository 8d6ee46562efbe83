// The outbox: writes events, fetches them to be published, records what became of them, and serves its operators.

import { z } from 'zod';
import { at, callForValue, callFunction, json } from './call.ts';
import { exactTime, time } from './columns.ts';
import type { Queryable } from './pool.ts';

/** An event before it has an envelope; the registry of src/outbox knows which data belongs to which type. */
export interface NewEvent {
  readonly eventType: string;
  readonly aggregateType: string;
  readonly aggregateId: string;
  readonly data: unknown;
  readonly actor?: unknown;
  readonly version?: number | undefined;
  /** ISO 8601; the time of the call unless given. */
  readonly occurredAt?: string | undefined;
  /** A new one unless given. */
  readonly eventId?: string | undefined;
}

/** Writes an event in the transaction that the client is in; answers with its id. */
export async function writeEvent(client: Queryable, event: NewEvent): Promise<string> {
  const { actor } = event;
  return callForValue(client, {
    name: 'emit_event',
    args: [
      event.eventType,
      event.aggregateType,
      event.aggregateId,
      json(event.data),
      actor === undefined ? null : json(actor),
      event.version ?? 1,
      event.occurredAt ?? null,
      event.eventId ?? null,
    ],
    row: z.string(),
  });
}

/** `aggregate`: an event waits until every earlier one of its aggregate is published. */
export type PublishOrder = 'none' | 'aggregate';

const FetchedEvent = z
  .object({
    event_id: z.string(),
    event_type: z.string(),
    aggregate_type: z.string(),
    aggregate_id: z.string(),
    payload: z.string(),
    created_at: z.string(),
    attempt_count: z.number(),
  })
  .transform((row) => ({
    eventId: row.event_id,
    eventType: row.event_type,
    aggregateType: row.aggregate_type,
    aggregateId: row.aggregate_id,
    payload: row.payload,
    createdAt: row.created_at,
    attemptCount: row.attempt_count,
  }));

/** All that a broker needs; `payload` is the envelope as JSON, `createdAt` is ISO 8601 to the microsecond. */
export type FetchedEvent = z.output<typeof FetchedEvent>;

/** Fetches the next events. They stay locked until the end of the transaction that the client is in. */
export async function fetchUnpublished(
  client: Queryable,
  request: { limit: number; maxAttempts: number; order: PublishOrder },
  now?: string,
): Promise<FetchedEvent[]> {
  const { limit, maxAttempts, order } = request;
  return callFunction(client, {
    name: 'fetch_unpublished',
    args: at(now, [limit, maxAttempts, order]),
    row: FetchedEvent,
  });
}

const MarkedEvent = z.object({ event_id: z.string() }).transform((row) => row.event_id);

/** Records what a broker has stored; an id that is missing from the answer was published before. */
export async function markPublished(
  client: Queryable,
  eventIds: readonly string[],
  now?: string,
): Promise<string[]> {
  return callFunction(client, {
    name: 'mark_published',
    args: at(now, [eventIds]),
    row: MarkedEvent,
  });
}

export interface PublishFailure {
  readonly eventId: string;
  /** A sentence; it is masked before it is kept. */
  readonly error: string;
  /** The broker will never take the event: it is given up at once. */
  readonly refused?: boolean | undefined;
}

const GivenUp = z.enum(['refused', 'attempts']);

const FailedEvent = z
  .object({
    event_id: z.string(),
    became: z.enum(['waiting', 'given_up']).nullable(),
    given_up: GivenUp.nullable(),
    attempt_count: z.number().nullable(),
    next_attempt_at: exactTime.nullable(),
    note: z.string().nullable(),
  })
  .transform((row) => ({
    eventId: row.event_id,
    became: row.became,
    givenUp: row.given_up,
    attemptCount: row.attempt_count,
    nextAttemptAt: row.next_attempt_at,
    note: row.note,
  }));

/**
 * `became` is `waiting`, until `nextAttemptAt`, or `given_up`, until the event is replayed or skipped (`givenUp` says
 * why). It is null for an event that is published or not there; `note` says so.
 */
export type FailedEvent = z.output<typeof FailedEvent>;

/** Records what could not be published; one answer for each event. */
export async function markPublishFailed(
  client: Queryable,
  failures: readonly PublishFailure[],
  maxAttempts: number,
  now?: string,
): Promise<FailedEvent[]> {
  const entries = failures.map(({ eventId, error, refused = false }) => ({
    event_id: eventId,
    error,
    refused,
  }));
  return callFunction(client, {
    name: 'mark_publish_failed',
    args: at(now, [json(entries), maxAttempts]),
    row: FailedEvent,
  });
}

/** When the next backoff ends; null when none is running. */
export async function nextPublishAt(
  client: Queryable,
  maxAttempts: number,
  now?: string,
): Promise<Date | null> {
  return callForValue(client, {
    name: 'next_publish_at',
    args: at(now, [maxAttempts]),
    row: time.nullable(),
  });
}

const OutboxStatus = z
  .object({
    unpublished: z.number(),
    oldest_unpublished_seconds: z.number().nullable(),
    failed: z.number(),
    published_last_hour: z.number(),
    cut: z.array(z.enum(['unpublished', 'failed', 'published_last_hour'])),
  })
  .readonly();

/** With the schema's names, since it is printed as it is; `cut` names the counts that are only a lower bound. */
export type OutboxStatus = z.output<typeof OutboxStatus>;

/** How much waits, since when, what was given up, and what was published in the last hour. */
export async function outboxStatus(
  client: Queryable,
  maxAttempts: number,
  now?: string,
): Promise<OutboxStatus> {
  return callForValue(client, {
    name: 'outbox_status',
    args: at(now, [maxAttempts]),
    row: OutboxStatus,
  });
}

const ListedEvent = z
  .object({
    event_id: z.string(),
    event_type: z.string(),
    aggregate_type: z.string(),
    aggregate_id: z.string(),
    created_at: time,
    attempt_count: z.number(),
    last_error: z.string().nullable(),
    failed_at: time.nullable(),
    not_before: z.union([z.literal('-infinity').transform(() => null), time]).nullable(),
    given_up: GivenUp.nullable(),
  })
  .transform((row) => ({
    eventId: row.event_id,
    eventType: row.event_type,
    aggregateType: row.aggregate_type,
    aggregateId: row.aggregate_id,
    createdAt: row.created_at,
    attemptCount: row.attempt_count,
    lastError: row.last_error,
    failedAt: row.failed_at,
    notBefore: row.not_before,
    givenUp: row.given_up,
  }));

export type ListedEvent = z.output<typeof ListedEvent>;

/** Events that are not published, newest first; with `failed` those that failed, the latest failure first. */
export async function listOutboxEvents(
  client: Queryable,
  filter: {
    failed: boolean;
    eventType?: string | undefined;
    limit: number;
    /** The last event of the page before. */
    before?: string | undefined;
  },
): Promise<ListedEvent[]> {
  const { failed, eventType, limit, before } = filter;
  return callFunction(client, {
    name: 'list_outbox_events',
    args: [failed, eventType ?? null, limit, before ?? null],
    row: ListedEvent,
  });
}

const FoundEvent = z
  .object({ event_id: z.string(), event_type: z.string(), created_at: time })
  .transform((row) => ({
    eventId: row.event_id,
    eventType: row.event_type,
    createdAt: row.created_at,
  }));

export type FoundEvent = z.output<typeof FoundEvent>;

/** Events whose ids begin with some digits, the newest first, at most 10. */
export async function findOutboxEvents(client: Queryable, part: string): Promise<FoundEvent[]> {
  return callFunction(client, { name: 'find_outbox_events', args: [part], row: FoundEvent });
}

const ReplayedEvent = z
  .object({ event_id: z.string(), replayed: z.boolean(), note: z.string().nullable() })
  .transform((row) => ({ eventId: row.event_id, replayed: row.replayed, note: row.note }));

export type ReplayedEvent = z.output<typeof ReplayedEvent>;

/** Lets events be tried again; each refusal comes with its reason. */
export async function replayOutboxEvents(
  client: Queryable,
  request: {
    /** null: those that were given up, the first 10,000 of them. */
    eventIds: readonly string[] | null;
    eventType?: string | undefined;
    /** Only says what it would do. */
    dryRun: boolean;
    operator: string;
    reason: string;
    maxAttempts: number;
  },
  now?: string,
): Promise<ReplayedEvent[]> {
  const { eventIds, eventType, dryRun, operator, reason, maxAttempts } = request;
  return callFunction(client, {
    name: 'replay_outbox_events',
    args: at(now, [eventIds, eventType ?? null, dryRun, operator, reason, maxAttempts]),
    row: ReplayedEvent,
  });
}

const SkippedEvent = z
  .object({ event_id: z.string(), skipped: z.boolean(), note: z.string().nullable() })
  .transform((row) => ({ eventId: row.event_id, skipped: row.skipped, note: row.note }));

export type SkippedEvent = z.output<typeof SkippedEvent>;

/** Passes over events that were given up, for good; each refusal comes with its reason. */
export async function skipOutboxEvents(
  client: Queryable,
  request: {
    eventIds: readonly string[];
    /** Only says what it would do. */
    dryRun: boolean;
    operator: string;
    reason: string;
    maxAttempts: number;
  },
  now?: string,
): Promise<SkippedEvent[]> {
  const { eventIds, dryRun, operator, reason, maxAttempts } = request;
  return callFunction(client, {
    name: 'skip_outbox_events',
    args: at(now, [eventIds, dryRun, operator, reason, maxAttempts]),
    row: SkippedEvent,
  });
}

/** Deletes events that were published long enough ago; answers how many. For a member of outrider_retention. */
export async function purgeOutboxEvents(
  client: Queryable,
  request: { olderThan: string; limit: number },
  now?: string,
): Promise<number> {
  const { olderThan, limit } = request;
  return callForValue(client, {
    name: 'purge_outbox_events',
    args: at(now, [olderThan, limit]),
    row: z.number(),
  });
}
