// The sandbox's time. Tests move it; a user's sandbox lets it run.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs the work when that many milliseconds have passed. The returned function cancels it. */
  later(ms: number, work: () => void): () => void;
}

export interface MovableClock extends Clock {
  /** Moves the time ahead and runs what comes due on the way, in its order. */
  advance(ms: number): void;
  /** Whether time passes by itself. */
  readonly runs: boolean;
}

/** The machine's time, until it is moved ahead; then it runs on from there. */
export function runningClock(): MovableClock {
  let ahead = 0;
  const waiting = new Set<Waiting>();
  const now = () => Date.now() + ahead;
  const drop = (entry: Waiting) => {
    clearTimeout(entry.timer);
    waiting.delete(entry);
  };
  const run = (entry: Waiting) => {
    drop(entry);
    entry.work();
  };
  return {
    runs: true,
    now,
    later(ms, work) {
      const entry: Waiting = { at: now() + ms, work };
      waiting.add(entry);
      entry.timer = setTimeout(() => run(entry), ms);
      entry.timer.unref();
      return () => drop(entry);
    },
    advance(ms) {
      const end = now() + ms;
      for (;;) {
        const due = [...waiting].filter((each) => each.at <= end).toSorted((a, b) => a.at - b.at);
        const next = due[0];
        if (next === undefined) break;
        ahead += Math.max(0, next.at - now());
        run(next);
      }
      ahead += Math.max(0, end - now());
    },
  };
}

interface Waiting {
  readonly at: number;
  readonly work: () => void;
  timer?: NodeJS.Timeout;
}

/** A clock that stands still until it is moved. */
export function movableClock(start: number): MovableClock {
  let now = start;
  let waiting: { readonly at: number; readonly work: () => void }[] = [];
  return {
    runs: false,
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
