// The loop of a service that looks for work in the database. It looks when it is rung, and when the wait that its last look
// answered with is over. While the database cannot be asked, it looks less and less often.

import { createAlarm } from './alarm.ts';
import { waitAfter } from './backoff.ts';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { type Health, healthy } from './service.ts';

export interface LookingOptions {
  readonly log: Log;
  readonly clock: Clock;
  /** For the log and the health: "work". */
  readonly whatFor: string;
  /** Answers how long there is nothing more to do, in milliseconds. */
  readonly look: () => Promise<number>;
}

export interface Looking {
  /** The next look comes at once, or right after the one under way. */
  ring(): void;
  isStopping(): boolean;
  /** Whether the last look failed: the database cannot be asked. */
  isFailing(): boolean;
  /** Not ok when the last look failed, or none has ended for 15 s. */
  health(): Health;
  /** Waits for the look under way. */
  stop(): Promise<void>;
}

const outage = { baseMs: 100, capMs: 5000 };
const silentMs = 15_000;

/** The first look comes at once. */
export function startLooking({ log, clock, whatFor, look }: LookingOptions): Looking {
  const alarm = createAlarm();
  let isStopping = false;
  let failures = 0;
  let lookedAt = clock.now();

  async function run(): Promise<void> {
    for (let wait = 0; !isStopping; ) {
      await alarm.sleep(wait);
      if (!isStopping) wait = await lookOnce();
    }
  }

  async function lookOnce(): Promise<number> {
    try {
      const wait = await look();
      failures = 0;
      lookedAt = clock.now();
      return wait;
    } catch (error) {
      failures += 1;
      if (failures === 1) {
        log.warn(`the database cannot be asked for ${whatFor}`, { error: String(error) });
      }
      return waitAfter(failures, outage, Math.random());
    }
  }

  const running = run();
  return {
    ring: () => alarm.ring(),
    isStopping: () => isStopping,
    isFailing: () => failures > 0,
    health() {
      const sinceMs = Math.round(clock.now() - lookedAt);
      if (failures === 0 && sinceMs < silentMs) return healthy;
      return { ok: false, reason: `has not been able to look for ${whatFor} for ${sinceMs} ms` };
    },
    async stop() {
      isStopping = true;
      alarm.ring();
      await running;
    },
  };
}
