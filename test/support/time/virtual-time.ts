// Time that passes only when everybody waits: a clock for the sandbox and for the database's functions, and
// waits that end when it has come so far. Every wake is a little late, as wakes are.

import { type Clock, type MovableClock, movableClock } from '../../../sandbox/clock.ts';

export interface VirtualTime {
  readonly clock: Clock;
  /** For functions of the database. */
  now(): string;
  /** Starts work that `settle` waits for. */
  start(work: Promise<void>): void;
  /** Lets the time pass; for work that was started. */
  wait(ms: number): Promise<void>;
  /** Comes when all work has ended or waits. */
  settle(): Promise<void>;
  /** Moves to the next wait's end, or to `at` if that is earlier; never back, and at least a millisecond on. */
  moveOn(at: number): void;
}

/** `lateness` is drawn for each wake, in milliseconds. */
export function virtualTime(start: number, lateness: () => number): VirtualTime {
  const clock: MovableClock = movableClock(start);
  let waiting: { readonly at: number; readonly wake: () => void }[] = [];
  let busy = 0;
  let onSettled: (() => void) | undefined;

  function end(): void {
    busy -= 1;
    if (busy === 0) onSettled?.();
  }

  return {
    clock,
    now: () => new Date(clock.now()).toISOString(),
    start(work) {
      busy += 1;
      void work.finally(end);
    },
    wait(ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ at: clock.now() + ms + lateness(), wake: resolve });
      end();
      return promise;
    },
    async settle() {
      if (busy === 0) return;
      await new Promise<void>((resolve) => {
        onSettled = resolve;
      });
      onSettled = undefined;
    },
    moveOn(at) {
      const next = Math.min(at + lateness(), ...waiting.map((each) => each.at));
      clock.advance(Math.max(1, Math.ceil(next - clock.now())));
      const due = waiting.filter((each) => each.at <= clock.now());
      waiting = waiting.filter((each) => each.at > clock.now());
      busy += due.length;
      for (const each of due) each.wake();
    },
  };
}
