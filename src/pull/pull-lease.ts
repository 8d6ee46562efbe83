// Keeps the lease on a source while it is read, and ends the pull when the lease is lost.

import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/pool.ts';
import { extendPull, type PullLease } from '../db/pull.ts';

export interface LeaseOptions {
  readonly client: Queryable;
  readonly clock: Clock;
  readonly lease: string;
  readonly now?: (() => string) | undefined;
}

export interface HeldLease {
  /** Aborted when another puller may have the source. */
  readonly lost: AbortSignal;
  letGo(): void;
}

/** Extends the lease every third of its length, so two extensions may fail. The database decides who holds it. */
export function holdLease(
  { client, clock, lease, now }: LeaseOptions,
  claimed: PullLease & { readonly leaseMs: number },
): HeldLease {
  const lost = new AbortController();
  const everyMs = claimed.leaseMs / 3;
  let isOver = false;
  let callOff = clock.after(everyMs, () => void extend());

  async function extend(): Promise<void> {
    // While the database is away nobody else can claim either; every chunk checks the token again.
    const holds = await extendPull(client, { ...claimed, lease }, now?.()).catch(() => true);
    if (isOver) return;
    if (!holds) return lost.abort();
    callOff = clock.after(everyMs, () => void extend());
  }

  return {
    lost: lost.signal,
    letGo() {
      isOver = true;
      callOff();
    },
  };
}
