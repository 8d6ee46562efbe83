// POST /v1/pull/<source_id>: reads the next chunk of a claimed source and answers with it as ingest_pull_chunk takes it, or
// with why it could not be read as fail_pull takes it. The caller takes the chunk in: only then the cursor moves.

import { isDeepStrictEqual } from 'node:util';
import { pullChunkAsJson } from '../db/intake.ts';
import { type ClaimedSource, extendPull, takenItems } from '../db/pull.ts';
import { DatabaseAwayError, DatabaseBusyError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { asTakenIn, type ChunkMeans, nextChunk, type ReadyChunk } from '../pull/next-chunk.ts';
import { type OpeningMeans, openClaimed } from '../pull/opened-source.ts';
import { pullFailureOf, sameAgain } from '../pull/pull-failure.ts';
import { holdLease } from '../pull/pull-lease.ts';
import { SourceError } from '../pull/source-error.ts';
import type { Caller } from './deliver.ts';

export type ReadingMeans = OpeningMeans & ChunkMeans;

/** Throws only what the database throws when it is away or busy. */
export async function readChunk(
  means: ReadingMeans,
  claimed: ClaimedSource,
  { gone, halted }: Caller,
): Promise<Answer> {
  const { client, clock, now } = means;
  const askedAt = clock.now();
  const lease = `${claimed.leaseMs} milliseconds`;
  const holds = await extendPull(client, { ...claimed, lease }, now?.());
  if (!holds) return failed(claimed, lostLease());
  const held = holdLease({ ...means, lease }, claimed);
  const signal = AbortSignal.any([gone, halted, held.lost]);
  try {
    const opened = openClaimed(means, claimed);
    try {
      const reading = { context: means, claimed, opened, signal, askedAt };
      const ready = await nextChunk(reading, claimed.cursor);
      if (await isSameAgain(means, claimed, ready)) throw sameAgain();
      return chunkAnswer(claimed, ready, lease);
    } finally {
      await opened.source.close();
    }
  } catch (error) {
    if (error instanceof DatabaseAwayError || error instanceof DatabaseBusyError) throw error;
    return failed(claimed, held.lost.aborted ? lostLease() : error);
  } finally {
    held.letGo();
  }
}

/** A source that says there is more, stays where it is and has nothing new would be read for ever. */
async function isSameAgain(
  { client }: ReadingMeans,
  { workspaceId, sourceId, cursor }: ClaimedSource,
  ready: ReadyChunk,
): Promise<boolean> {
  if (ready.nextPullAt !== null || !isDeepStrictEqual(cursor, ready.cursor)) return false;
  const itemRefs = ready.items.map(({ itemRef }) => itemRef);
  if (itemRefs.length === 0) return true;
  const taken = new Set(await takenItems(client, { workspaceId, sourceId, itemRefs }));
  return itemRefs.every((each) => taken.has(each));
}

function chunkAnswer(claimed: ClaimedSource, ready: ReadyChunk, lease: string): Answer {
  const chunk = pullChunkAsJson(asTakenIn(claimed, ready, lease));
  const body = { ok: true, ...chunk, has_more: ready.nextPullAt === null };
  return { status: 200, body, facts: { ...named(claimed), ok: true, items: ready.items.length } };
}

function failed(claimed: ClaimedSource, thrown: unknown): Answer {
  const { workspaceId, sourceId, leaseToken } = claimed;
  const { error, retryAfter } = pullFailureOf(thrown);
  const body = {
    ok: false,
    workspace_id: workspaceId,
    source_id: sourceId,
    lease_token: leaseToken,
    error,
    retry_after: retryAfter,
  };
  return { status: 200, body, facts: { ...named(claimed), ok: false, error } };
}

function named({ workspaceId, sourceId }: ClaimedSource) {
  return { workspace_id: workspaceId, source_id: sourceId };
}

function lostLease(): SourceError {
  return new SourceError('the lease is lost: another puller has the source, or it has changed');
}
