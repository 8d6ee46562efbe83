// The purge as a chore: every minute, until nothing is left. All processes that have it share the work.

import { type Chore, startChore } from '../chore.ts';
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
  let isStopping = false;
  let wake: (() => void) | undefined;

  function rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = clock.after(ms, resolve);
      wake = () => {
        callOff();
        resolve();
      };
    });
  }

  async function turn(): Promise<void> {
    const purged = await purge({ client, clock, outboxRetention, rest, isOver: () => isStopping });
    for (const { what, workspaceId, removed, note } of purged) {
      if (removed > 0) {
        const facts = workspaceId === null ? {} : { workspace_id: workspaceId };
        log.info('deleted what was kept long enough', { what, ...facts, removed });
      }
      if (note !== null && !told.has(note)) log.warn('not everything is deleted', { what, note });
      if (note !== null) told.add(note);
    }
  }

  const chore = startChore({
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
  return {
    ...chore,
    async stop() {
      isStopping = true;
      wake?.();
      await chore.stop();
    },
  };
}
