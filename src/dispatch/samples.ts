// Samples of the queue and of what became of deliveries, once a minute: the history that the status page shows. All processes that
// have this chore share the workspaces.

import { type Chore, startChore } from '../chore.ts';
import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/pool.ts';
import { takeSamples } from '../db/status.ts';
import type { Log } from '../log.ts';

export interface SamplesOptions {
  readonly client: Queryable;
  readonly log: Log;
  readonly clock: Clock;
}

const minuteMs = 60_000;
/** In one transaction. */
const atOnce = 20;

export function startSamples({ client, log, clock }: SamplesOptions): Chore {
  return startChore({
    log,
    clock,
    words: {
      failed: 'samples for the status page cannot be taken; its history has a gap',
      over: 'samples for the status page are taken again',
    },
    everyMs: minuteMs,
    retryMs: minuteMs,
    async turn({ isOver }) {
      for (;;) {
        const sampled = await takeSamples(client, atOnce);
        if (sampled.length < atOnce || isOver()) return;
      }
    },
  });
}
