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
  turn(): Promise<void>;
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
        await chore.turn();
        trouble.over();
      } catch (error) {
        trouble.failed(error);
      }
      if (!isStopping && !isRung) await rest(trouble.times === 0 ? everyMs : retryMs);
      isRung = false;
    }
  }

  // Waits a random quarter more or less, so that processes do not all work at the same instant.
  function rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = clock.after(ms * (0.75 + Math.random() / 2), resolve);
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
