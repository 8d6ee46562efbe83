// One pull: reads a claimed source chunk by chunk. Each chunk is taken in by one call of the database, which also moves
// the cursor, so a process may die between any two lines: what was not taken in is read again, and what was is known.
//
//   claimed → look → copy media → take in → look → … → the end: the lease is given back, and the next time is set
//                        │            └→ the lease is lost: another puller goes on
//                        └→ a medium cannot be fetched for now: the items before it are taken in, and the pull ends
//           → the source cannot be read: it is put off, longer after each failure
//           → stop: the lease is given back, and the source is as due as before

import { isDeepStrictEqual } from 'node:util';
import { ingestPullChunk, type PulledChunk } from '../db/intake.ts';
import { type ClaimedSource, failPull, releasePull } from '../db/pull.ts';
import {
  DatabaseAwayError,
  DatabaseBusyError,
  NotAllowedError,
  NotFoundError,
  StillInFlightError,
} from '../errors.ts';
import { keptPost, type Observer, unobserved } from '../observer.ts';
import {
  asTakenIn,
  type ChunkMeans,
  nextChunk,
  type Reading,
  type ReadyChunk,
} from './next-chunk.ts';
import { type OpeningMeans, openClaimed } from './opened-source.ts';
import { pullFailureOf, sameAgain } from './pull-failure.ts';
import { holdLease } from './pull-lease.ts';
import type { Cursor } from './source.ts';
import { SourceError } from './source-error.ts';

export interface PullContext extends OpeningMeans, ChunkMeans {
  /** How long a claim lasts unless it is extended, as PostgreSQL writes an interval. */
  readonly lease: string;
  /** Called when a chunk has brought something to send. */
  readonly wake: (workspaceId: string) => void;
  readonly onChunk?: ((taken: PulledChunk) => void) | undefined;
  /** Who is told of posts; nobody when missing. */
  readonly observer?: Observer | undefined;
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

interface Pull extends Reading {
  readonly context: PullContext;
  readonly tally: Tally;
}

type Ended = Pick<Pulled, 'outcome' | 'reason' | 'nextPullAt'>;

async function readAll(reading: Pull): Promise<Ended> {
  const { claimed, signal } = reading;
  let cursor: Cursor = claimed.cursor;
  for (;;) {
    signal.throwIfAborted();
    const ready = await nextChunk(reading, cursor);
    const taken = await takeIn(reading, ready);
    const { held, lost, nextPullAt } = ready;
    // The cursor has moved on; the record says that something was passed over.
    if (lost !== undefined) throw new SourceError(lost);
    // Nobody reads it by itself when its schedule says never.
    const next = reading.opened.common.every === 'never' ? undefined : nextPullAt;
    if (held !== undefined) return { outcome: 'held', reason: held.reason, nextPullAt: next };
    if (nextPullAt !== null) return { outcome: 'done', nextPullAt: next };
    const isNew = taken.items.some((each) => each.verdict !== 'already_taken');
    if (!isNew && isDeepStrictEqual(cursor, ready.cursor)) throw sameAgain();
    cursor = ready.cursor;
  }
}

async function takeIn({ context, claimed, tally }: Pull, ready: ReadyChunk): Promise<PulledChunk> {
  const { client, lease, now, wake, onChunk, observer = unobserved } = context;
  const startedAt = observer.now();
  const taken = await ingestPullChunk(client, asTakenIn(claimed, ready, lease), now?.());
  if (observer.isOn) tellOfPosts(observer, claimed, taken, startedAt);
  tally.chunks += 1;
  for (const { verdict } of taken.items) {
    tally[verdict === 'already_taken' ? 'alreadyTaken' : verdict] += 1;
  }
  tally.leftOut += ready.items.reduce((sum, { leftOut = [] }) => sum + leftOut.length, 0);
  if (bringsWork(taken)) wake(claimed.workspaceId);
  onChunk?.(taken);
  return taken;
}

function tellOfPosts(
  observer: Observer,
  { workspaceId }: ClaimedSource,
  { items }: PulledChunk,
  startedAt: number,
): void {
  const endedAt = observer.now();
  const times = { askedAt: startedAt, keptAt: endedAt };
  for (const item of items) {
    if (item.verdict !== 'accepted') continue;
    const kept = keptPost(workspaceId, item, times);
    observer.post({ way: 'pull', startedAt, endedAt, kept });
  }
}

function bringsWork({ items }: PulledChunk): boolean {
  return items.some(
    (each) =>
      each.verdict === 'accepted' && each.channels.some(({ verdict }) => verdict === 'queued'),
  );
}

async function recordFailure(
  { client, now }: PullContext,
  claimed: ClaimedSource,
  error: unknown,
): Promise<Ended> {
  const failure = pullFailureOf(error);
  const nextPullAt = await failPull(client, { ...claimed, ...failure }, now?.());
  return { outcome: 'failed', reason: failure.error, nextPullAt };
}
