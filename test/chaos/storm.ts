// What strikes during the storm, by chance and at chance intervals.

import { setTimeout as delay } from 'node:timers/promises';
import type { KeptProcess } from './processes.ts';

export interface Targets {
  readonly dispatchers: readonly KeptProcess[];
  readonly ingest: KeptProcess;
  /** Ends PostgreSQL without warning; it comes back by itself. */
  killServer(): Promise<void>;
}

export interface Strikes {
  server: number;
  dispatchers: number;
  ingest: number;
  frozen: number;
}

interface Kind {
  readonly everyMs: number;
  strike(): Promise<void> | void;
}

/** Strikes until the time is over; `frozenMs` is longer than a lease. */
export async function storm(targets: Targets, forMs: number, frozenMs: number): Promise<Strikes> {
  const { dispatchers, ingest } = targets;
  const strikes: Strikes = { server: 0, dispatchers: 0, ingest: 0, frozen: 0 };
  const over = AbortSignal.timeout(forMs);
  const any = (): KeptProcess | undefined =>
    dispatchers[Math.floor(Math.random() * dispatchers.length)];
  const kinds: Kind[] = [
    {
      everyMs: 16_000,
      async strike() {
        await targets.killServer();
        strikes.server += 1;
      },
    },
    {
      everyMs: 5000,
      strike() {
        any()?.kill();
        strikes.dispatchers += 1;
      },
    },
    {
      everyMs: 14_000,
      strike() {
        ingest.kill();
        strikes.ingest += 1;
      },
    },
    {
      everyMs: 15_000,
      async strike() {
        const victim = any();
        victim?.freeze();
        await delay(frozenMs);
        victim?.thaw();
        strikes.frozen += 1;
      },
    },
  ];
  await Promise.all(kinds.map((kind) => repeat(kind, over)));
  return strikes;
}

async function repeat(kind: Kind, over: AbortSignal): Promise<void> {
  for (;;) {
    const wait = kind.everyMs * (0.5 + Math.random());
    await delay(wait, undefined, { signal: over }).catch(() => undefined);
    if (over.aborted) return;
    await kind.strike();
  }
}
