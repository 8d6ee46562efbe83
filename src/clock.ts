// Time as a process measures it.

/** Only differences count, and nobody sets it back. */
export interface Clock {
  /** Milliseconds since some moment. */
  now(): number;
  /** Runs it later, unless it is called off. */
  after(ms: number, run: () => void): () => void;
}

/** Further ahead at once than this, the wall clock was not merely corrected. */
const leapMs = 1000;

/**
 * The monotonic clock, which stands still while the machine sleeps, and the time that it slept, which the wall
 * clock shows. A wall clock that is set ahead looks the same: then whoever measures a lease takes it to be over
 * too early, which is the safe side.
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
