// Whether sending keeps up: a delivery that could be sent, and that no sender takes for minutes, is a sign that this
// dispatcher and all others do nothing. Asked at most every 5 s, when somebody asks for the health of the process.

import type { Clock } from '../clock.ts';
import { type DispatchLag, dispatchLag } from '../db/dispatch.ts';
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

/**
 * Answers with what the last looks have shown, and looks again where that is old. While the same transaction is seen to
 * hold rows of channels or groups locked, senders cannot take what it holds: that is told, and the process stays ready.
 */
export function watchLag({ client, clock }: LagOptions): () => Health {
  let askAgainAt = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  let lateLooks = 0;
  let longest: DispatchLag | undefined;
  let holder: string | undefined;

  async function look(): Promise<void> {
    isAsking = true;
    askAgainAt = clock.now() + askEveryMs;
    try {
      const before = longest?.holders ?? [];
      longest = await dispatchLag(client);
      holder = longest.holders.find((each) => before.includes(each));
      lateLooks = (longest.seconds ?? 0) > longestSeconds ? lateLooks + 1 : 0;
    } catch {
      // Whether the database can be asked is told by others.
    } finally {
      isAsking = false;
    }
  }

  return () => {
    if (!isAsking && clock.now() >= askAgainAt) void look();
    if (lateLooks < looksInARow || longest === undefined) return healthy;
    const { workspaceId, seconds } = longest;
    const minutes = Math.floor((seconds ?? 0) / 60);
    const late = `a delivery of workspace ${workspaceId} has been due for ${minutes} min`;
    if (holder === undefined) return { ok: false, reason: `${late}, and nobody sends it` };
    const [pid] = holder.split(' ');
    return { ok: true, reason: `${late}: process ${pid} of PostgreSQL holds rows locked` };
  };
}
