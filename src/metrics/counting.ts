// Counts into the database what has happened, every 10 s, in one process of all that could.

import { randomUUID } from 'node:crypto';
import { startChore } from '../chore.ts';
import type { Clock } from '../clock.ts';
import { countMetrics } from '../db/metrics.ts';
import { endRun, takeRun } from '../db/monitor.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';

export interface CountingOptions {
  readonly client: Queryable;
  readonly log: Log;
  readonly clock: Clock;
  readonly everyMs?: number | undefined;
}

export interface Counting {
  /** Lets another process count at once. */
  stop(): Promise<void>;
}

/** Longer than the time between two turns: the process that counts goes on counting. */
const lease = '30 seconds';

export function startCounting({ client, log, clock, everyMs = 10_000 }: CountingOptions): Counting {
  const run = { name: 'metrics', runId: randomUUID() };
  const chore = startChore({
    log,
    clock,
    words: {
      failed: 'the counters of /metrics cannot be brought up to date',
      over: 'the counters of /metrics are brought up to date again',
    },
    everyMs,
    retryMs: everyMs,
    async turn({ isOver }) {
      if (!(await takeRun(client, { ...run, lease }))) return;
      for (let isBehind = true; isBehind && !isOver(); ) {
        isBehind = (await countMetrics(client)).isBehind;
      }
    },
  });
  return {
    async stop() {
      await chore.stop();
      await endRun(client, run).catch(() => undefined);
    },
  };
}
