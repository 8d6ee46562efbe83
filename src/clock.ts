// Time as a process measures it.

/** Only differences count. It never goes back. */
export interface Clock {
  /** Milliseconds since some moment. */
  now(): number;
  /** Calls `run` after that time. The returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** A wall clock that jumps ahead by more than this was not merely corrected. */
const leapMs = 1000;

/**
 * The monotonic clock plus the time that the machine slept. The monotonic clock stands still during sleep, and the
 * wall clock shows how long that was. A wall clock that is set ahead looks the same as sleep: a lease then seems to be
 * over too early, which is the safe side.
 */
export function createClock(monotonic = () => performance.now(), wall = () => Date.now()): Clock {
  let offset = wall() - monotonic();
  let slept = 0;
  return {
    now() {
      const at = monotonic();
      const leap = wall() - at - offset;
      offset += leap;
      if (leap > leapMs) slept += leap;
      return at + slept;
    },
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
}

export const systemClock: Clock = createClock();
