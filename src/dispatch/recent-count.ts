// Counts what has happened of late, window by window.

import type { Clock } from '../clock.ts';

export interface RecentCount {
  add(): void;
  /** The larger count of two: that of the last whole window, and that of the present one, which may have just begun. */
  value(): number;
}

export function createRecentCount(clock: Clock, windowMs: number): RecentCount {
  let beganAt = clock.now();
  let present = 0;
  let last = 0;

  function moveOn(): void {
    const windows = Math.floor((clock.now() - beganAt) / windowMs);
    if (windows === 0) return;
    last = windows === 1 ? present : 0;
    present = 0;
    beganAt += windows * windowMs;
  }

  return {
    add() {
      moveOn();
      present += 1;
    },
    value() {
      moveOn();
      return Math.max(last, present);
    },
  };
}
