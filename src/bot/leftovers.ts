// Finds updates that were recorded and whose turns were not done, because a process died in between or the database was
// away, and has them done.

import { type Chore, startChore } from '../chore.ts';
import type { Clock } from '../clock.ts';
import { pendingBotTurns } from '../db/bot.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';
import type { Turns } from './turns.ts';

export interface LeftoversOptions {
  readonly client: Queryable;
  readonly log: Log;
  readonly clock: Clock;
  readonly turns: Turns;
  readonly everyMs?: number | undefined;
}

const atOnce = 1000;

export function startLeftovers({ client, log, clock, turns, ...options }: LeftoversOptions): Chore {
  const { everyMs = 2000 } = options;
  return startChore({
    log,
    clock,
    words: {
      failed: 'updates without a turn cannot be looked for',
      over: 'updates without a turn can be looked for again',
    },
    everyMs,
    retryMs: everyMs,
    async turn() {
      for (const update of await pendingBotTurns(client, atOnce)) turns.add(update);
      await turns.idle();
    },
  });
}
