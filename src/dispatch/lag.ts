// Whether sending keeps up: a delivery that could be sent, and that no sender takes for minutes, is a sign that this
// dispatcher and all others do nothing. Asked at most every 5 s, when somebody asks for the health of the process.

import type { Clock } from '../clock.ts';
import { dispatchLag } from '../db/dispatch.ts';
import type { Queryable } from '../db/pool.ts';
import { type Health, healthy } from '../service.ts';

export interface LagOptions {
  readonly client: Queryable;
  readonly clock: Clock;
}

const askEveryMs = 5000;
const longestSeconds = 120;
/** Between the end of a send and the next claim a channel looks idle for a moment: one look may hit it, two do not. */
const looksInARow = 2;

/** Answers with what the last looks have shown, and looks again where that is old. */
export function watchLag({ client, clock }: LagOptions): () => Health {
  let askAgainAt = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  let lateLooks = 0;
  let seconds = 0;

  async function look(): Promise<void> {
    isAsking = true;
    askAgainAt = clock.now() + askEveryMs;
    try {
      seconds = (await dispatchLag(client)) ?? 0;
      lateLooks = seconds > longestSeconds ? lateLooks + 1 : 0;
    } catch {
      // Whether the database can be asked is told by others.
    } finally {
      isAsking = false;
    }
  }

  return () => {
    if (!isAsking && clock.now() >= askAgainAt) void look();
    if (lateLooks < looksInARow) return healthy;
    const minutes = Math.floor(seconds / 60);
    return { ok: false, reason: `a delivery has been due for ${minutes} min, and nobody sends it` };
  };
}
