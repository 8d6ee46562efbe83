// Signs of life of a process that runs roles. A process that stops in order takes its row away; a crash leaves it, and
// that is how others notice.

import { randomUUID } from 'node:crypto';
import { type Chore, startChore } from '../chore.ts';
import type { Clock } from '../clock.ts';
import { beat, endBeat } from '../db/monitor.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';

export interface HeartbeatOptions {
  readonly client: Queryable;
  readonly log: Log;
  readonly clock: Clock;
  readonly host: string;
  readonly version: string;
  readonly roles: readonly string[];
  /** Whether all that this process runs does its work. */
  readonly isReady: () => boolean;
  /** What it knows about its machine. */
  readonly facts: () => Promise<Readonly<Record<string, unknown>>>;
  readonly everyMs?: number | undefined;
}

export interface Heartbeat {
  /** Says that the process stops in order, as far as the database can be told. */
  stop(): Promise<void>;
}

const everySoOftenMs = 10_000;

export function startHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { client, log, clock, host, version, roles, everyMs = everySoOftenMs } = options;
  const serviceId = randomUUID();
  const chore: Chore = startChore({
    log,
    clock,
    words: {
      failed: 'signs of life cannot be given; others may take this process for dead',
      over: 'signs of life are given again',
    },
    everyMs,
    retryMs: everyMs / 4,
    async turn() {
      const facts = await options.facts();
      const ready = options.isReady();
      await beat(client, { serviceId, host, pid: process.pid, version, roles, ready, facts });
    },
  });
  return {
    async stop() {
      await chore.stop();
      try {
        await endBeat(client, serviceId);
      } catch (error) {
        log.warn('the end of this process could not be recorded', { error: String(error) });
      }
    },
  };
}
