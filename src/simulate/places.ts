// Places for sends: how many may be under way at once, and since when each place has been free. The end of a send is
// often counted before its time (run.ts); its place still cannot be taken earlier.

import { createEventQueue } from './event-queue.ts';

export interface Places {
  /** Takes the place that has been free for longest; answers since when. */
  take(): number;
  /** Gives a place back, which becomes free at this time. */
  give(at: number): void;
}

export function createPlaces(count: number): Places {
  const freed = createEventQueue<undefined>();
  let unused = count;
  return {
    take() {
      if (unused > 0) {
        unused -= 1;
        return Number.NEGATIVE_INFINITY;
      }
      return freed.takeFirst()?.at ?? Number.NEGATIVE_INFINITY;
    },
    give: (at) => freed.add(at, undefined),
  };
}
