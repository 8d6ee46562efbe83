import type { Clock } from '../../../src/clock.ts';

/** A clock that stands still until the test moves it. */
export interface ManualClock extends Clock {
  /** Runs the timers that come due on the way, in their order. What they start may still run afterwards. */
  advance(ms: number): void;
  /** Lets time pass as if the process were frozen: timers that come due meanwhile run with the next advance. */
  freeze(ms: number): void;
  /** How many timers are set. */
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
