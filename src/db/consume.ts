// Which events a consumer has processed, or is processing.

import { z } from 'zod';
import { at, callForValue } from './call.ts';
import type { Queryable } from './pool.ts';

/** An event that one holder has leased. */
export interface LeasedEvent {
  readonly consumer: string;
  readonly eventId: string;
  readonly owner: string;
}

/** Takes an event for a while, unless another holds it or it was processed. */
export async function claimEvent(
  client: Queryable,
  event: LeasedEvent & { leaseMs: number },
  now?: string,
): Promise<'claimed' | 'processed' | 'busy'> {
  return callForValue(client, {
    name: 'claim_event',
    args: at(now, [event.consumer, event.eventId, event.owner, event.leaseMs]),
    row: z.enum(['claimed', 'processed', 'busy']),
  });
}

/** Starts a lease anew; false when it has ended or is another's. */
export async function extendEvent(
  client: Queryable,
  event: LeasedEvent & { leaseMs: number },
  now?: string,
): Promise<boolean> {
  return callForValue(client, {
    name: 'extend_event',
    args: at(now, [event.consumer, event.eventId, event.owner, event.leaseMs]),
    row: z.boolean(),
  });
}

/** Marks an event as processed; false when another holds it or has processed it. */
export async function confirmEvent(
  client: Queryable,
  event: LeasedEvent & { ttlMs: number },
  now?: string,
): Promise<boolean> {
  return callForValue(client, {
    name: 'confirm_event',
    args: at(now, [event.consumer, event.eventId, event.owner, event.ttlMs]),
    row: z.boolean(),
  });
}

/** Gives an event back unprocessed; false when the lease had ended or was another's. */
export async function releaseEvent(
  client: Queryable,
  event: LeasedEvent,
  now?: string,
): Promise<boolean> {
  return callForValue(client, {
    name: 'release_event',
    args: at(now, [event.consumer, event.eventId, event.owner]),
    row: z.boolean(),
  });
}

/** Marks an event as processed, in the transaction of the effect; true when it had been processed before. */
export async function checkAndMarkProcessed(
  client: Queryable,
  event: { consumer: string; eventId: string; ttlMs: number },
  now?: string,
): Promise<boolean> {
  return callForValue(client, {
    name: 'check_and_mark_processed',
    args: at(now, [event.consumer, event.eventId, event.ttlMs]),
    row: z.boolean(),
  });
}

/** Deletes marks that have expired; answers how many. */
export async function purgeProcessedEvents(
  client: Queryable,
  limit: number,
  now?: string,
): Promise<number> {
  return callForValue(client, {
    name: 'purge_processed_events',
    args: at(now, [limit]),
    row: z.number(),
  });
}
