// Takes a post in and claims what it queues in one transaction, where ingest and dispatcher share a process and
// the dispatcher has nothing else to do: one commit and two round trips less until the post is sent.
//
// The post is what counts. When the server undoes the transaction, for whatever reason, the post is taken in alone.

import { type ClaimedDelivery, claimDeliveries } from '../db/claim.ts';
import { ingestPush, type PushRequest, type PushResult } from '../db/push.ts';
import { type ConnectionSource, inOneGo } from '../db/transaction.ts';
import { DatabaseAwayError, OutriderError } from '../errors.ts';
import type { Dispatcher, Place } from './dispatcher.ts';

/** Who else claims from the same channels is not waited for: whoever posts would wait, too. */
const lockMs = 50;

export function createDirectPush(
  pool: ConnectionSource,
  dispatcher: Pick<Dispatcher, 'reserve'>,
): (request: PushRequest) => Promise<PushResult> {
  /** Of the endpoints that have been posted to, by the hash of their secret. */
  const workspaces = new Map<string, string>();

  return async (request) => {
    const known = workspaces.get(request.secretHash);
    const place = known === undefined ? undefined : dispatcher.reserve(known);
    const both = place === undefined ? undefined : await pushAndClaim(pool, request, place);
    if (both !== undefined) return both;

    const pushed = await ingestPush(pool, request);
    if (pushed.workspaceId !== null) workspaces.set(request.secretHash, pushed.workspaceId);
    return { pushed, isSeenTo: false };
  };
}

/** Undefined when nothing has happened. */
async function pushAndClaim(
  pool: ConnectionSource,
  request: PushRequest,
  place: Place,
): Promise<PushResult | undefined> {
  let claimed: readonly ClaimedDelivery[] = [];
  try {
    const [pushed, claim] = await inOneGo(pool, { lockMs }, (connection) => [
      ingestPush(connection, request),
      claimDeliveries(connection, place.request),
    ]);
    claimed = claim;
    return { pushed, isSeenTo: true };
  } catch (error) {
    if (isUndone(error)) return undefined;
    throw error;
  } finally {
    place.settle(claimed);
  }
}

/** What the server refused it has undone; of a lost connection or an answer that we cannot read nobody knows. */
function isUndone(error: unknown): boolean {
  if (error instanceof DatabaseAwayError) return false;
  return error instanceof OutriderError && error.sqlstate !== undefined;
}
