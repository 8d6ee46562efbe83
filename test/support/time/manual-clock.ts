import type { Clock } from '../../../src/clock.ts';

/** A clock that stands still until the test moves it. */
export interface ManualClock extends Clock {
  /** Runs what comes due on the way, in its order; what that starts may still be under way afterwards. */
  advance(ms: number): void;
  /** Passes while the process is frozen: what comes due meanwhile runs with the next advance. */
  freeze(ms: number): void;
  /** How many things wait to be run. */
  waiting(): number;
}

export function createManualClock(): ManualClock {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
    },
    freeze(ms) {
      now += ms;
    },
    waiting: () => timers.size,
  };
}
