// A task that is done again and again for as long as the process runs. A turn that fails is logged; the next one
// comes all the same.

import type { Clock } from './clock.ts';
import type { Log } from './log.ts';
import { createTrouble, type TroubleWords } from './trouble.ts';

export interface ChoreOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly words: TroubleWords;
  readonly everyMs: number;
  /** How long to wait after a turn that failed. */
  readonly retryMs: number;
  turn(pace: TurnPace): Promise<void>;
}

/** What a long turn looks at between its steps, so that a stop need not wait for all of them. */
export interface TurnPace {
  /** Whether the chore is being stopped. */
  readonly isOver: () => boolean;
  /** Waits; a stop cuts it short. */
  readonly rest: (ms: number) => Promise<void>;
}

export interface Chore {
  /** How many turns have failed in a row. */
  failures(): number;
  /** The next turn comes at once, or right after the one under way. */
  ring(): void;
  /** Waits for the turn under way. */
  stop(): Promise<void>;
}

/** The first turn comes at once. */
export function startChore({ log, clock, everyMs, retryMs, ...chore }: ChoreOptions): Chore {
  const trouble = createTrouble(log, clock, chore.words);
  let isStopping = false;
  let isRung = false;
  let wake: (() => void) | undefined;

  async function run(): Promise<void> {
    while (!isStopping) {
      try {
        await chore.turn({ isOver: () => isStopping, rest });
        trouble.over();
      } catch (error) {
        trouble.failed(error);
      }
      if (!isStopping && !isRung) await rest(spread(trouble.times === 0 ? everyMs : retryMs));
      isRung = false;
    }
  }

  function rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = clock.after(ms, resolve);
      wake = () => {
        callOff();
        resolve();
      };
    });
  }

  const running = run();
  return {
    failures: () => trouble.times,
    ring() {
      isRung = true;
      wake?.();
    },
    async stop() {
      isStopping = true;
      wake?.();
      await running;
    },
  };
}

/** A random quarter more or less, so that processes do not all work at the same instant. */
function spread(ms: number): number {
  return ms * (0.75 + Math.random() / 2);
}
