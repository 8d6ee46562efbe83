// Writes, fails, publishes and reads events, for tests of the outbox.

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { z } from 'zod';
import {
  markPublished,
  markPublishFailed,
  type PublishOrder,
  writeEvent,
} from '../../../src/db/outbox.ts';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import type { EventToEmit } from '../../../src/outbox/emit.ts';
import { after, start } from '../database/seed.ts';

/** The id with this number; the same number gives the same id. */
export function aggregateId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** A lawful event. */
export function anEvent(id: string = randomUUID()) {
  return {
    eventType: 'ad_activated',
    aggregateType: 'ad',
    aggregateId: id,
    data: { storeId: aggregateId(0) },
  } as const satisfies EventToEmit;
}

/** Emits one event about an aggregate, by default a new one. */
export function emit(client: Queryable, aggregate: string = randomUUID()): Promise<string> {
  return writeEvent(client, anEvent(aggregate));
}

/** Emits that many events, each about a new aggregate, one after the other. */
export async function emitMany(client: Queryable, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push(await emit(client));
  return ids;
}

/** Runs work in a transaction and commits it. */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** The request of the publishers of most tests. */
export const asking = (
  limit = 50,
  order: PublishOrder = 'none',
): { limit: number; maxAttempts: number; order: PublishOrder } => ({
  limit,
  maxAttempts: 3,
  order,
});

/** Fails events once each; answers with what became of them. */
export function failEvents(
  client: Queryable,
  eventIds: readonly string[],
  now: string = start,
): ReturnType<typeof markPublishFailed> {
  const failures = eventIds.map((eventId) => ({ eventId, error: 'the broker refused it' }));
  return markPublishFailed(client, failures, asking().maxAttempts, now);
}

/** Fails events until they are given up. */
export async function giveUp(client: Queryable, eventIds: readonly string[]): Promise<void> {
  for (let n = 0; n < asking().maxAttempts; n += 1) await failEvents(client, eventIds);
}

/** Publishes everything that waits: a test then starts with an empty outbox. */
export async function publishAll(admin: Queryable): Promise<void> {
  const waiting = await queryRows(
    admin,
    z.object({ id: z.string() }),
    'select id from outrider.outbox_events where published_at is null limit 10000',
  );
  if (waiting.length > 0) {
    await markPublished(
      admin,
      waiting.map((row) => row.id),
    );
  }
}

const StoredEvent = z.object({
  id: z.string(),
  payload: z.record(z.string(), z.unknown()),
  published_at: z.string().nullable(),
  attempt_count: z.number(),
  last_error: z.string().nullable(),
});

/** An event as it is stored. */
export async function storedEvent(
  admin: Queryable,
  id: string,
): Promise<z.output<typeof StoredEvent> | undefined> {
  const rows = await queryRows(
    admin,
    StoredEvent,
    `select id, payload_json as payload, published_at::text, attempt_count, last_error
     from outrider.outbox_events where id = $1`,
    [id],
  );
  return rows[0];
}

/** Adds an event that was published, one that waits, and one that has failed; answers with the id of the last. */
export async function furnishOutbox(admin: Queryable): Promise<string> {
  await markPublished(admin, [await emit(admin)], start);
  await writeEvent(admin, { ...anEvent(), eventType: 'ad_paused' });
  const failed = await emit(admin);
  await failEvents(admin, [failed], after(59));
  return failed;
}

/** For each function of the outbox, a call that is lawful and does something. */
export function lawfulOutboxCalls(
  failedEvent: string,
  p_now: string,
): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  return {
    emit_event: {
      p_event_type: 'ad_paused',
      p_aggregate_type: 'ad',
      p_aggregate_id: failedEvent,
      p_data: JSON.stringify({ reason: 'over' }),
      p_actor: JSON.stringify({ type: 'user', id: '7' }),
      p_version: 1,
      p_occurred_at: p_now,
      p_event_id: '00000000-0000-4000-8000-00000000e7e7',
    },
    fetch_unpublished: { p_limit: 10, p_max_attempts: 5, p_order: 'aggregate', p_now },
    mark_published: { p_event_ids: [failedEvent], p_now },
    mark_publish_failed: {
      p_failures: JSON.stringify([{ event_id: failedEvent, error: 'the broker is away' }]),
      p_max_attempts: 5,
      p_now,
    },
    next_publish_at: { p_max_attempts: 5, p_now },
    outbox_status: { p_max_attempts: 5, p_now },
    list_outbox_events: {
      p_failed: false,
      p_event_type: 'ad_paused',
      p_limit: 10,
      p_before: failedEvent,
    },
    find_outbox_events: { p_part: failedEvent },
    replay_outbox_events: {
      p_event_ids: [failedEvent],
      p_event_type: 'ad_activated',
      p_dry_run: false,
      p_operator: 'ann',
      p_reason: 'the broker is back',
      p_max_attempts: 5,
      p_now,
    },
    skip_outbox_events: {
      p_event_ids: [failedEvent],
      p_dry_run: false,
      p_operator: 'ann',
      p_reason: 'nobody wants it',
      p_max_attempts: 1,
      p_now,
    },
    purge_outbox_events: { p_older_than: '1 day', p_limit: 10, p_now: after(86_400 * 30) },
  };
}
