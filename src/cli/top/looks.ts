// Looks again and again: one look at a time, the next one an interval after the last has ended.

import type { Clock } from '../../clock.ts';

export interface Looks {
  /** Now, or as soon as the look that is under way has ended. */
  now(): void;
  /** No further look until the next `now`. */
  rest(): void;
}

export interface LooksMeans {
  readonly clock: Clock;
  readonly everyMs: number;
  /** Somebody asked for it, or it is only time for it. */
  readonly look: (isAsked: boolean) => Promise<void>;
  /** Whether the next look waits until somebody asks for it. */
  readonly isResting: () => boolean;
  /** Called when a look has taken a second. */
  readonly onLate: () => void;
  readonly onFault: (error: unknown) => void;
}

/** After this long whoever waits begins to wonder. */
const lateMs = 1000;

export function createLooks(means: LooksMeans): Looks {
  const { clock, everyMs, look, isResting, onLate, onFault } = means;
  let isLooking = false;
  let isAskedAgain = false;
  let callOff: (() => void) | undefined;

  async function lookOnce(isAsked: boolean): Promise<void> {
    isLooking = true;
    const stopTelling = clock.after(lateMs, onLate);
    try {
      await look(isAsked);
    } finally {
      stopTelling();
      isLooking = false;
    }
  }

  async function run(isAsked: boolean): Promise<void> {
    callOff?.();
    await lookOnce(isAsked);
    while (isAskedAgain) {
      isAskedAgain = false;
      await lookOnce(true);
    }
    if (!isResting()) callOff = clock.after(everyMs, () => begin(false));
  }

  function begin(isAsked: boolean): void {
    run(isAsked).catch(onFault);
  }

  return {
    now() {
      if (isLooking) isAskedAgain = true;
      else begin(true);
    },
    rest: () => callOff?.(),
  };
}
