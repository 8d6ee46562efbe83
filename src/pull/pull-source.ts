// One pull: reads a claimed source chunk by chunk. Each chunk is taken in by one call of the database, which also moves
// the cursor, so a process may die between any two lines: what was not taken in is read again, and what was is known.
//
//   claimed → look → copy media → take in → look → … → the end: the lease is given back, and the next time is set
//                        │            └→ the lease is lost: another puller goes on
//                        └→ a medium cannot be had for now: the items before it are taken in, and the pull ends
//           → the source cannot be read: it is put off, longer after each failure
//           → stop: the lease is given back, and the source is as due as before

import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock.ts';
import { ingestPullChunk, type PulledChunk, type PulledItem } from '../db/intake.ts';
import type { Queryable } from '../db/pool.ts';
import { type ClaimedSource, failPull, releasePull, takenItems } from '../db/pull.ts';
import {
  DatabaseAwayError,
  DatabaseBusyError,
  NotAllowedError,
  NotFoundError,
  OutriderError,
  StillInFlightError,
} from '../errors.ts';
import type { MediaFetcher } from '../media/media-fetcher.ts';
import { hasAddresses, importItemMedia } from './item-media.ts';
import { type OpenedSource, type OpeningMeans, openClaimed } from './opened-source.ts';
import { preparedPost, type RawPost } from './prepared-post.ts';
import { holdLease } from './pull-lease.ts';
import { beforeCallOf, rest } from './slots.ts';
import type { Chunk, Cursor } from './source.ts';
import { nextPullAt } from './source-config.ts';
import { SourceError } from './source-error.ts';

export interface PullContext extends OpeningMeans {
  readonly client: Queryable;
  readonly fetcher: MediaFetcher;
  readonly clock: Clock;
  /** How long a claim lasts unless it is extended, as PostgreSQL writes an interval. */
  readonly lease: string;
  /** Called when a chunk has brought something to send. */
  readonly wake: (workspaceId: string) => void;
  /** The time as functions of the database take it; the database's when missing. */
  readonly now?: (() => string) | undefined;
  /** The longest look; 5 minutes when missing. */
  readonly lookMs?: number | undefined;
  readonly onChunk?: ((taken: PulledChunk) => void) | undefined;
}

export interface Pulled {
  readonly outcome: 'done' | 'held' | 'failed' | 'lost' | 'stopped';
  readonly chunks: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly alreadyTaken: number;
  /** Media that posts came without. */
  readonly leftOut: number;
  /** Why it failed, or what holds an item back. */
  readonly reason?: string | undefined;
  /** When the source is due again, where this pull decided it. */
  readonly nextPullAt?: Date | null | undefined;
}

/** So many pulls end before an item whose medium cannot be had. The next one takes the item without it. */
const heldAtMost = 3;
const minuteMs = 60_000;
const usualLookMs = 5 * minuteMs;

type Tally = {
  -readonly [Key in 'chunks' | 'accepted' | 'rejected' | 'alreadyTaken' | 'leftOut']: number;
};

/** Throws only what the database throws when it is away or busy: then the lease runs out by itself. */
export async function pullSource(
  context: PullContext,
  claimed: ClaimedSource,
  stop: AbortSignal,
): Promise<Pulled> {
  const tally: Tally = { chunks: 0, accepted: 0, rejected: 0, alreadyTaken: 0, leftOut: 0 };
  const lease = holdLease(context, claimed);
  const askedAt = context.clock.now();
  try {
    const signal = AbortSignal.any([stop, lease.lost]);
    const opened = openClaimed(context, claimed);
    try {
      return { ...(await readAll({ context, claimed, opened, signal, askedAt, tally })), ...tally };
    } finally {
      await opened.source.close();
    }
  } catch (error) {
    if (lease.lost.aborted || isLoss(error)) return { outcome: 'lost', ...tally };
    if (error instanceof DatabaseAwayError || error instanceof DatabaseBusyError) throw error;
    if (stop.aborted) {
      await releasePull(context.client, claimed, context.now?.());
      return { outcome: 'stopped', ...tally };
    }
    return { ...(await recordFailure(context, claimed, error)), ...tally };
  } finally {
    lease.letGo();
  }
}

/** Another puller has the source, or it was disabled or removed meanwhile. */
function isLoss(error: unknown): boolean {
  return (
    error instanceof StillInFlightError ||
    error instanceof NotAllowedError ||
    error instanceof NotFoundError
  );
}

interface Reading {
  readonly context: PullContext;
  readonly claimed: ClaimedSource;
  readonly opened: OpenedSource;
  readonly signal: AbortSignal;
  /** When the pull began, by this process's clock. */
  readonly askedAt: number;
  readonly tally: Tally;
}

type Ended = Pick<Pulled, 'outcome' | 'reason' | 'nextPullAt'>;

async function readAll(reading: Reading): Promise<Ended> {
  const { claimed, signal } = reading;
  let cursor: Cursor = claimed.cursor;
  for (;;) {
    signal.throwIfAborted();
    const chunk = await lookOnce(reading, cursor);
    const ready = await readyItems(reading, chunk);
    const next = nextTime(reading, chunk, ready);
    const taken = await takeIn(reading, chunk, ready, next);
    if (ready.held !== undefined) {
      return { outcome: 'held', reason: ready.held.reason, nextPullAt: next };
    }
    if (next !== null) return { outcome: 'done', nextPullAt: next };
    const isNew = taken.items.some((each) => each.verdict !== 'already_taken');
    if (!isNew && isDeepStrictEqual(cursor, chunk.cursor)) {
      throw new SourceError('it says that there is more, and gives the same again');
    }
    cursor = chunk.cursor;
  }
}

async function lookOnce(reading: Reading, cursor: Cursor): Promise<Chunk> {
  const { context, claimed, opened, signal } = reading;
  const { clock, lookMs = usualLookMs } = context;
  const late = new AbortController();
  const over = AbortSignal.any([signal, late.signal]);
  const done = new AbortController();
  const lateness = rest(clock, lookMs, AbortSignal.any([done.signal, signal])).then(() => {
    if (!done.signal.aborted && !signal.aborted) late.abort();
    return undefined;
  });
  try {
    const look = opened.source.look({
      cursor,
      limit: opened.common.limit ?? 100,
      signal: over,
      beforeCall: beforeCallOf(context, claimed, over),
    });
    look.catch(() => undefined); // when it comes too late
    const chunk = await Promise.race([look, lateness]);
    if (chunk !== undefined) return chunk;
    signal.throwIfAborted();
    throw new SourceError(`it was not read within ${Math.round(lookMs / 1000)} s`);
  } finally {
    done.abort();
  }
}

interface Ready {
  readonly items: readonly PulledItem[];
  readonly held?: { readonly itemRef: string; readonly reason: string } | undefined;
}

/** The items with their media in the origin store, up to one whose medium cannot be had for now. */
async function readyItems(reading: Reading, chunk: Chunk): Promise<Ready> {
  const { context, claimed, opened, signal } = reading;
  const all = chunk.items.map((item) => ({
    itemRef: item.itemRef,
    post: preparedPost(item, opened.preparation),
  }));
  const isTaken = await takenAmong(reading, all);
  const items: PulledItem[] = [];
  for (const { itemRef, post } of all) {
    if (isTaken(itemRef) || !hasAddresses(post)) {
      items.push({ itemRef, payload: post });
      continue;
    }
    const imported = await importItemMedia(context, post, {
      workspaceId: claimed.workspaceId,
      signal,
      isLastTry: claimed.heldItem === itemRef && claimed.heldPulls >= heldAtMost,
    });
    if (!imported.ok) return { items, held: { itemRef, reason: imported.reason } };
    items.push({ itemRef, payload: imported.post, leftOut: imported.leftOut });
  }
  return { items };
}

/** Asked only where something would have to be fetched: a chunk without media needs no second call. */
async function takenAmong(
  { context, claimed }: Reading,
  items: readonly { readonly itemRef: string; readonly post: RawPost }[],
): Promise<(itemRef: string) => boolean> {
  const itemRefs = items.filter(({ post }) => hasAddresses(post)).map(({ itemRef }) => itemRef);
  if (itemRefs.length === 0) return () => false;
  const { workspaceId, sourceId } = claimed;
  const taken = new Set(await takenItems(context.client, { workspaceId, sourceId, itemRefs }));
  return (itemRef) => taken.has(itemRef);
}

/** When the source is due again; null when there is more to be had at once. */
function nextTime(reading: Reading, chunk: Chunk, { held }: Ready): Date | null {
  const { context, claimed, opened, askedAt } = reading;
  const now = new Date(claimed.claimedAt.getTime() + context.clock.now() - askedAt);
  if (held === undefined && chunk.hasMore) return null;
  const next = nextPullAt(opened.common, claimed.claimedAt, now);
  if (held === undefined) return next;
  const before = claimed.heldItem === held.itemRef ? claimed.heldPulls : 0;
  const again = now.getTime() + minuteMs * 2 ** Math.min(before, heldAtMost);
  return new Date(Math.min(next.getTime(), again));
}

async function takeIn(
  { context, claimed, tally }: Reading,
  chunk: Chunk,
  { items, held }: Ready,
  next: Date | null,
): Promise<PulledChunk> {
  const { client, lease, now, wake, onChunk } = context;
  const { workspaceId, sourceId, leaseToken } = claimed;
  const taken = await ingestPullChunk(
    client,
    {
      workspaceId,
      sourceId,
      leaseToken,
      items,
      cursorTo: held === undefined ? chunk.cursor : null,
      nextPullAt: next?.toISOString() ?? null,
      heldItem: held?.itemRef ?? null,
      lease,
    },
    now?.(),
  );
  tally.chunks += 1;
  for (const { verdict } of taken.items) {
    tally[verdict === 'already_taken' ? 'alreadyTaken' : verdict] += 1;
  }
  tally.leftOut += items.reduce((sum, { leftOut = [] }) => sum + leftOut.length, 0);
  if (bringsWork(taken)) wake(workspaceId);
  onChunk?.(taken);
  return taken;
}

function bringsWork({ items }: PulledChunk): boolean {
  return items.some(
    (each) =>
      each.verdict === 'accepted' && each.channels.some(({ verdict }) => verdict === 'queued'),
  );
}

const longestRetryMs = 31 * 24 * 60 * minuteMs;

async function recordFailure(
  { client, now }: PullContext,
  claimed: ClaimedSource,
  error: unknown,
): Promise<Ended> {
  const reason = inWords(error);
  const asked = error instanceof SourceError ? error.retryAfterMs : undefined;
  const retryAfter =
    asked === undefined ? null : `${Math.ceil(Math.min(Math.max(asked, 0), longestRetryMs))} ms`;
  const failed = { ...claimed, error: reason.slice(0, 5000), retryAfter };
  return { outcome: 'failed', reason, nextPullAt: await failPull(client, failed, now?.()) };
}

function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error) || 'it failed';
  const hint = error instanceof OutriderError ? error.hint : undefined;
  const message = error.message === '' ? error.name : error.message;
  return hint === undefined ? message : `${message}; ${hint}`;
}
