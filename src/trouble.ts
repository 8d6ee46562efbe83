// Something that may fail again and again: the log says so at once, then once a minute with the number of
// times, and once when it is over.

import type { Clock } from './clock.ts';
import type { Facts, Log } from './log.ts';

export interface Trouble {
  failed(error: unknown): void;
  over(): void;
  /** How often it has failed in a row. */
  readonly times: number;
}

/** What the log says of it. */
export interface TroubleWords {
  readonly failed: string;
  readonly over: string;
}

const everyMs = 60_000;

export function createTrouble(
  log: Log,
  clock: Clock,
  words: TroubleWords,
  facts: Facts = {},
): Trouble {
  let times = 0;
  let sayFrom = 0;
  return {
    get times() {
      return times;
    },
    failed(error) {
      times += 1;
      if (times > 1 && clock.now() < sayFrom) return;
      sayFrom = clock.now() + everyMs;
      log.warn(words.failed, { ...facts, error: String(error), times });
    },
    over() {
      if (times > 0) log.info(words.over, { ...facts, times });
      times = 0;
    },
  };
}
