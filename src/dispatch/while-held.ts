// Asks the database on behalf of a send under way. If the database is away, or somebody has locked the rows, it asks
// again for as long as the send holds its lease: a half-sent post then need not begin anew.

import { type Backoff, waitAfter } from '../backoff.ts';
import { DatabaseAwayError, DatabaseBusyError } from '../errors.ts';

export interface HeldSend {
  readonly signal: AbortSignal;
  /** Whether the delivery is still ours. */
  readonly holds: () => boolean;
  /** Ends early when the signal comes. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

const backoff: Backoff = { baseMs: 100, capMs: 2000 };

/** Throws what `ask` throws, once asking again is of no use or the send has ended. */
export async function whileHeld<Answer>(
  { signal, holds, wait }: HeldSend,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await wait(waitAfter(failures, backoff, Math.random()), signal);
      if (signal.aborted || !holds()) throw error;
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof DatabaseAwayError || error instanceof DatabaseBusyError;
}
