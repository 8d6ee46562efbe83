// Hands pull sources to pullers, and keeps what became of each pull. Their items are taken in by ingestPullChunk.

import { z } from 'zod';
import { at, callForValue, callFunction } from './call.ts';
import { int8, int8InJson, time, timeOrInJson } from './columns.ts';
import type { Queryable } from './pool.ts';

const object = z.record(z.string(), z.unknown());

/** A row of claimPullSource, also as JSON: from another puller that claimed it. */
export const ClaimedSource = z
  .object({
    workspace_id: z.string(),
    source_id: z.string(),
    kind: z.string(),
    config: object,
    cursor: object,
    lease_token: z.string(),
    lease_ms: int8InJson,
    claimed_at: timeOrInJson,
    failures: z.number(),
    held_item: z.string().nullable(),
    held_pulls: z.number(),
    auth_ref: z.string().nullable(),
    secret_ref: z.string().nullable(),
    platform: z.string().nullable(),
    rate_group: z.string().nullable(),
  })
  .transform((row) => ({
    workspaceId: row.workspace_id,
    sourceId: row.source_id,
    kind: row.kind,
    config: row.config,
    cursor: row.cursor,
    leaseToken: row.lease_token,
    leaseMs: row.lease_ms,
    claimedAt: row.claimed_at,
    failures: row.failures,
    heldItem: row.held_item,
    heldPulls: row.held_pulls,
    authRef: row.auth_ref,
    secretRef: row.secret_ref,
    platform: row.platform,
    rateGroup: row.rate_group,
  }));

/** All that a pull needs; no second query follows. */
export type ClaimedSource = z.output<typeof ClaimedSource>;

export interface SourceClaim {
  readonly runId: string;
  /** How long the claim lasts unless it is extended, as PostgreSQL writes an interval. */
  readonly lease: string;
  /** Workspaces that have enough pulls under way. */
  readonly except: readonly string[];
}

/** The source that has been due for longest; undefined when nothing is due. */
export async function claimPullSource(
  client: Queryable,
  claim: SourceClaim,
  now?: string,
): Promise<ClaimedSource | undefined> {
  const [claimed] = await callFunction(client, {
    name: 'claim_pull_source',
    args: at(now, [claim.runId, claim.lease, claim.except]),
    row: ClaimedSource,
  });
  return claimed;
}

/** The lease on a source. */
export interface PullLease {
  readonly workspaceId: string;
  readonly sourceId: string;
  readonly leaseToken: string;
}

/** False when the lease is lost. */
export async function extendPull(
  client: Queryable,
  lease: PullLease & { readonly lease: string },
  now?: string,
): Promise<boolean> {
  return callForValue(client, {
    name: 'extend_pull',
    args: at(now, [lease.workspaceId, lease.sourceId, lease.leaseToken, lease.lease]),
    row: z.boolean(),
  });
}

/** Gives a source back unread; false when the lease was lost. */
export async function releasePull(
  client: Queryable,
  lease: PullLease,
  now?: string,
): Promise<boolean> {
  return callForValue(client, {
    name: 'release_pull',
    args: at(now, [lease.workspaceId, lease.sourceId, lease.leaseToken]),
    row: z.boolean(),
  });
}

/** Records that a source could not be read; answers when it is due again, or null when the lease was lost. */
export async function failPull(
  client: Queryable,
  failed: PullLease & { readonly error: string; readonly retryAfter: string | null },
  now?: string,
): Promise<Date | null> {
  const { workspaceId, sourceId, leaseToken, error, retryAfter } = failed;
  return callForValue(client, {
    name: 'fail_pull',
    args: at(now, [workspaceId, sourceId, leaseToken, error, retryAfter]),
    row: time.nullable(),
  });
}

export interface PullOrder {
  readonly workspaceId: string;
  readonly sourceId: string;
  readonly runId: string;
  readonly lease: string;
  readonly operator: string;
  readonly reason: string;
}

/** Claims one source whether or not it is due, on record. */
export async function pullNow(
  client: Queryable,
  order: PullOrder,
  now?: string,
): Promise<ClaimedSource | undefined> {
  const { workspaceId, sourceId, runId, lease, operator, reason } = order;
  const [claimed] = await callFunction(client, {
    name: 'pull_now',
    args: at(now, [workspaceId, sourceId, runId, lease, operator, reason]),
    row: ClaimedSource,
  });
  return claimed;
}

const TakenRef = z.object({ item_ref: z.string() }).transform((row) => row.item_ref);

/** Which of these items were taken from the source before. */
export async function takenItems(
  client: Queryable,
  asked: {
    readonly workspaceId: string;
    readonly sourceId: string;
    readonly itemRefs: readonly string[];
  },
): Promise<string[]> {
  return callFunction(client, {
    name: 'taken_items',
    args: [asked.workspaceId, asked.sourceId, asked.itemRefs],
    row: TakenRef,
  });
}

export const sourceStates = [
  'disabled',
  'pulling',
  'failing',
  'held',
  'due',
  'manual',
  'waiting',
] as const;

const ListedSource = z
  .object({
    source_id: z.string(),
    kind: z.string(),
    enabled: z.boolean(),
    config: object,
    cursor: object,
    state: z.enum(sourceStates),
    pulled_at: time.nullable(),
    next_pull_at: time.nullable(),
    items_taken: int8,
    last_item_at: time.nullable(),
    failures: z.number(),
    failing_since: time.nullable(),
    last_error: z.string().nullable(),
    held_item: z.string().nullable(),
    held_pulls: z.number(),
    auth_ref: z.string().nullable(),
    secret_ref: z.string().nullable(),
    platform: z.string().nullable(),
    rate_group: z.string().nullable(),
  })
  .transform((row) => ({
    sourceId: row.source_id,
    kind: row.kind,
    enabled: row.enabled,
    config: row.config,
    cursor: row.cursor,
    state: row.state,
    pulledAt: row.pulled_at,
    nextPullAt: row.next_pull_at,
    itemsTaken: row.items_taken,
    lastItemAt: row.last_item_at,
    failures: row.failures,
    failingSince: row.failing_since,
    lastError: row.last_error,
    heldItem: row.held_item,
    heldPulls: row.held_pulls,
    authRef: row.auth_ref,
    secretRef: row.secret_ref,
    platform: row.platform,
    rateGroup: row.rate_group,
  }));

export type ListedSource = z.output<typeof ListedSource>;

/** The pull sources of a workspace: when each is read, what it brought, what is wrong with it. */
export async function listPullSources(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<ListedSource[]> {
  return callFunction(client, {
    name: 'list_pull_sources',
    args: at(now, [workspaceId]),
    row: ListedSource,
  });
}
