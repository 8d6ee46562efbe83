// Deletes what has been kept long enough, finds events that name rows which are gone, and counts anew who names each blob.

import { z } from 'zod';
import { at, callForValue, callFunction } from './call.ts';
import { int8, time } from './columns.ts';
import type { Queryable } from './pool.ts';

const Purged = z
  .object({
    what: z.string(),
    workspace_id: z.string().nullable(),
    removed: int8,
    more: z.boolean(),
    note: z.string().nullable(),
  })
  .transform((row) => ({
    what: row.what,
    workspaceId: row.workspace_id,
    removed: row.removed,
    more: row.more,
    note: row.note,
  }));

export type Purged = z.output<typeof Purged>;

/** Deletes a batch of what has been kept long enough. Call it again while one of the rows has `more`. */
export async function purgeExpired(
  client: Queryable,
  request: { limit: number; dryRun: boolean },
  now?: string,
): Promise<Purged[]> {
  return callFunction(client, {
    name: 'purge_expired',
    args: at(now, [request.limit, request.dryRun]),
    row: Purged,
  });
}

/** Makes the next purge go through every workspace, also through those of the last day. Returns how many these are. */
export async function restartSweeps(client: Queryable, now?: string): Promise<number> {
  return callForValue(client, { name: 'restart_sweeps', args: at(now, []), row: z.number() });
}

/** Deletes a batch of published events of the outbox, if the login has the role outrider_retention. */
export async function purgeOutbox(
  client: Queryable,
  request: { olderThan: string; limit: number; dryRun: boolean },
  now?: string,
): Promise<Purged[]> {
  return callFunction(client, {
    name: 'purge_outbox',
    args: at(now, [request.olderThan, request.limit, request.dryRun]),
    row: Purged,
  });
}

const Orphan = z
  .object({
    event_id: z.string(),
    ts: time,
    action: z.string(),
    missing: z.enum(['delivery', 'message', 'channel']),
    missing_id: z.string(),
  })
  .transform((row) => ({
    eventId: row.event_id,
    ts: row.ts,
    action: row.action,
    missing: row.missing,
    missingId: row.missing_id,
  }));

export type Orphan = z.output<typeof Orphan>;

/** The events of the last days and of the oldest days whose delivery, message or channel is not there. */
export async function reconcileEvents(
  client: Queryable,
  request: { workspaceId: string; limit: number },
  now?: string,
): Promise<Orphan[]> {
  return callFunction(client, {
    name: 'reconcile_events',
    args: at(now, [request.workspaceId, request.limit]),
    row: Orphan,
  });
}

const Recounted = z
  .object({ blob_ref: z.string(), counted: int8, ref_count: int8 })
  .transform((row) => ({
    blobRef: row.blob_ref,
    counted: row.counted,
    refCount: row.ref_count,
  }));

export type Recounted = z.output<typeof Recounted>;

/** Counts anew how many messages name each blob. Returns the blobs that were counted wrong. */
export async function reconcileMedia(client: Queryable, workspaceId: string): Promise<Recounted[]> {
  return callFunction(client, {
    name: 'reconcile_media',
    args: [workspaceId],
    row: Recounted,
  });
}
