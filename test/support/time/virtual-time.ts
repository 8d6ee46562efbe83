// Time that passes only when all work waits: a clock for the sandbox and for the functions of the database, and waits
// that end when the clock reaches their time. Each wait ends a little late, as real timers do.

import { type Clock, type MovableClock, movableClock } from '../../../sandbox/clock.ts';

export interface VirtualTime {
  readonly clock: Clock;
  /** The time as functions of the database take it. */
  now(): string;
  /** Starts work that `settle` waits for. */
  start(work: Promise<void>): void;
  /** Waits in virtual time. Only work that was started may call it. */
  wait(ms: number): Promise<void>;
  /** Resolves when all work has ended or waits. */
  settle(): Promise<void>;
  /** Moves the clock to the end of the next wait, or to `at` if that is earlier, but by a millisecond at least. */
  moveOn(at: number): void;
}

/** `lateness` says for each wait by how many milliseconds it ends late. */
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
