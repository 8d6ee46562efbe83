// The purge as a chore: every minute, until nothing is left. All processes that have it share the work.

import { type Chore, startChore, type TurnPace } from '../chore.ts';
import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';
import { purge } from './purge.ts';

export interface RetentionOptions {
  readonly client: Queryable;
  readonly log: Log;
  readonly clock: Clock;
  readonly outboxRetention: string;
  readonly everyMs?: number | undefined;
}

const minuteMs = 60_000;

export function startRetention(options: RetentionOptions): Chore {
  const { client, log, clock, outboxRetention, everyMs = minuteMs } = options;
  const told = new Set<string>();
  /** What the turn before left. What the next one deletes concerns nobody. */
  let left = new Set<string>();

  async function turn(pace: TurnPace): Promise<void> {
    const purged = await purge({ client, clock, outboxRetention, ...pace });
    const leftNow = new Set<string>();
    for (const { what, workspaceId, removed, note } of purged) {
      if (removed > 0) {
        const facts = workspaceId === null ? {} : { workspace_id: workspaceId };
        log.info('deleted what was kept long enough', { what, ...facts, removed });
      }
      if (note === null) continue;
      leftNow.add(note);
      if (!left.has(note) || told.has(note)) continue;
      told.add(note);
      log.warn('not everything is deleted', { what, note });
    }
    left = leftNow;
  }

  return startChore({
    log,
    clock,
    words: {
      failed: 'what was kept long enough cannot be deleted',
      over: 'what was kept long enough is deleted again',
    },
    everyMs,
    retryMs: everyMs,
    turn,
  });
}
