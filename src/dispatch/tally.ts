// Counts what became of deliveries, and says so once a minute when there was anything.

import type { Log } from '../log.ts';

export interface Tally {
  count(became: string): void;
  total(): Readonly<Record<string, number>>;
  stop(): void;
}

export function createTally(log: Log, everyMs = 60_000): Tally {
  const total = new Map<string, number>();
  let since = new Map<string, number>();
  const timer = setInterval(() => {
    if (since.size > 0) log.info('in the last minute', Object.fromEntries(since));
    since = new Map();
  }, everyMs);
  timer.unref();
  return {
    count(became) {
      for (const counts of [total, since]) counts.set(became, (counts.get(became) ?? 0) + 1);
    },
    total: () => Object.fromEntries(total),
    stop: () => clearInterval(timer),
  };
}
