// The pace of a source's calls. A source that is read with a credential takes a slot of its rate group for every call, as
// senders with the same credential do.

import type { Clock } from '../clock.ts';
import { type GroupSlot, takeGroupSlot } from '../db/claim.ts';
import type { Queryable } from '../db/pool.ts';
import { toTheSecond } from '../times.ts';
import { SourceError } from './source-error.ts';

export interface SlotsOptions {
  readonly client: Queryable;
  readonly clock: Clock;
  readonly now?: (() => string) | undefined;
}

/** The rate group of a source; null when it has no credential. */
export interface SourceGroup {
  readonly workspaceId: string;
  readonly platform: string | null;
  readonly rateGroup: string | null;
}

/** A slot that lies further ahead is not waited for: the source is read again later. */
const longestWaitMs = 60_000;
/** While a credential is refused, somebody has to do something first. */
const refusedMs = 15 * 60_000;

/** Returns a function that waits until the next call may be made, and throws if that is not soon. */
export function beforeCallOf(
  { client, clock, now }: SlotsOptions,
  { workspaceId, platform, rateGroup }: SourceGroup,
  signal: AbortSignal,
): () => Promise<void> {
  if (platform === null || rateGroup === null) return async () => undefined;
  return async () => {
    signal.throwIfAborted();
    const { waitMs, shutUntil } = await takeGroupSlot(
      client,
      { workspaceId, platform, rateGroup },
      now?.(),
    );
    if (waitMs === null) throw shut(rateGroup, shutUntil);
    if (waitMs > longestWaitMs) {
      throw new SourceError(`rate group ${rateGroup} has no slot soon`, { retryAfterMs: waitMs });
    }
    if (waitMs > 0) await rest(clock, waitMs, signal);
    signal.throwIfAborted();
  };
}

function shut(rateGroup: string, until: GroupSlot['shutUntil']): SourceError {
  if (until === null || until === 'infinity') {
    return new SourceError(`rate group ${rateGroup} is shut: its credential was refused`, {
      hint: 'outrider auth check says what to do',
      retryAfterMs: refusedMs,
    });
  }
  return new SourceError(`rate group ${rateGroup} is shut until ${toTheSecond(until)}`);
}

/** Waits that long, or until the signal is aborted. */
export function rest(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      callOff();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const callOff = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
