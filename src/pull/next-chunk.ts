// The next chunk of a claimed source, ready to be taken in: looked up, with its media copied, and with the time at which the
// source is due again. Nothing is taken in here.

import type { Clock } from '../clock.ts';
import type { PullChunk, PulledItem } from '../db/intake.ts';
import type { Queryable } from '../db/pool.ts';
import { type ClaimedSource, takenItems } from '../db/pull.ts';
import type { MediaFetcher } from '../media/media-fetcher.ts';
import { hasAddresses, importItemMedia } from './item-media.ts';
import type { OpenedSource } from './opened-source.ts';
import { preparedPost, type RawPost } from './prepared-post.ts';
import { beforeCallOf, rest } from './slots.ts';
import { soundCursor } from './sound-cursor.ts';
import type { Chunk, Cursor } from './source.ts';
import { nextPullAt } from './source-config.ts';
import { SourceError } from './source-error.ts';

export interface ChunkMeans {
  readonly client: Queryable;
  readonly fetcher: MediaFetcher;
  readonly clock: Clock;
  /** The time as functions of the database take it; the database's when missing. */
  readonly now?: (() => string) | undefined;
  /** The longest look; 5 minutes when missing. */
  readonly lookMs?: number | undefined;
}

export interface Reading {
  readonly context: ChunkMeans;
  readonly claimed: ClaimedSource;
  readonly opened: OpenedSource;
  readonly signal: AbortSignal;
  /** When the pull began, by this process's clock. */
  readonly askedAt: number;
}

export interface ReadyChunk {
  readonly items: readonly PulledItem[];
  /** Where the source goes on once these items are taken in. */
  readonly cursor: Cursor;
  /** The item before which the pull ends, because a medium of it cannot be fetched for now. */
  readonly held?: { readonly itemRef: string; readonly reason: string } | undefined;
  /** What the source has passed over, in words. */
  readonly lost?: string | undefined;
  /** When the source is due again; null when there is more to read at once. */
  readonly nextPullAt: Date | null;
}

/** How many pulls end before an item whose medium cannot be fetched. The next one takes the item without it. */
const heldAtMost = 3;
const minuteMs = 60_000;
const usualLookMs = 5 * minuteMs;

export async function nextChunk(reading: Reading, cursor: Cursor): Promise<ReadyChunk> {
  const chunk = await lookOnce(reading, cursor);
  const ready = await readyItems(reading, chunk);
  const { lost } = chunk;
  // What was lost is recorded with the lease, so the pull does not end before.
  const next = lost === undefined ? nextTime(reading, chunk, ready) : null;
  return { ...ready, cursor: soundCursor(chunk.cursor), lost, nextPullAt: next };
}

/** A chunk as the database takes it in. */
export function asTakenIn(
  { workspaceId, sourceId, leaseToken }: ClaimedSource,
  { items, cursor, held, nextPullAt: next }: ReadyChunk,
  lease: string,
): Required<PullChunk> {
  return {
    workspaceId,
    sourceId,
    leaseToken,
    items,
    cursorTo: held === undefined ? cursor : null,
    nextPullAt: next?.toISOString() ?? null,
    heldItem: held?.itemRef ?? null,
    lease,
  };
}

async function lookOnce(reading: Reading, cursor: Cursor): Promise<Chunk> {
  const { context, claimed, opened, signal } = reading;
  const { clock, lookMs = usualLookMs } = context;
  const begun = clock.now();
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
      pull: claimed.claimedAt.toISOString(),
      elapsed: () => (clock.now() - begun) / lookMs,
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

type Ready = Pick<ReadyChunk, 'items' | 'held'>;

/** The items with their media in the origin store, up to one whose medium cannot be fetched for now. */
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

function nextTime(reading: Reading, chunk: Chunk, { held }: Ready): Date | null {
  const { context, claimed, opened, askedAt } = reading;
  const now = new Date(claimed.claimedAt.getTime() + context.clock.now() - askedAt);
  if (held === undefined && chunk.hasMore) return null;
  if (held === undefined) return nextPullAt(opened.common, claimed.claimedAt, now);
  // The database does not let the item be tried sooner.
  const before = claimed.heldItem === held.itemRef ? claimed.heldPulls : 0;
  return new Date(now.getTime() + minuteMs * 2 ** Math.min(before, heldAtMost - 1));
}
