/** Time as a process measures it: only differences count, and nobody sets it back. */
export interface Clock {
  /** Milliseconds since some moment. */
  now(): number;
  /** Runs it later, unless it is called off. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
