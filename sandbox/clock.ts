// The sandbox's time. Tests move it; a user's sandbox lets it run.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs the work when that many milliseconds have passed. The returned function cancels it. */
  later(ms: number, work: () => void): () => void;
}

/** The machine's time. */
export function runningClock(): Clock {
  return {
    now: () => Date.now(),
    later(ms, work) {
      const timer = setTimeout(work, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

export interface MovableClock extends Clock {
  /** Moves the time ahead and runs what comes due on the way, in its order. */
  advance(ms: number): void;
}

/** A clock that stands still until it is moved. */
export function movableClock(start: number): MovableClock {
  let now = start;
  let waiting: { readonly at: number; readonly work: () => void }[] = [];
  return {
    now: () => now,
    later(ms, work) {
      const entry = { at: now + ms, work };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((each) => each !== entry);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = waiting.filter((each) => each.at <= end).toSorted((a, b) => a.at - b.at);
        const next = due[0];
        if (next === undefined) break;
        waiting = waiting.filter((each) => each !== next);
        now = next.at;
        next.work();
      }
      now = end;
    },
  };
}
