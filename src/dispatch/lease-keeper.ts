// Extends the leases of sends that take longer than a moment, and tells a send that its lease is lost.

import { extendLeases } from '../db/claim.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';

export interface LeaseKeeper {
  /** Watches over a claim until `release` is called as often as it was held. */
  hold(lease: HeldLease): void;
  release(claimToken: string): void;
  stop(): void;
}

export interface HeldLease {
  readonly workspaceId: string;
  readonly claimToken: string;
  readonly leaseUntil: string;
  /** Called when somebody else may send the delivery by now. */
  onLost(): void;
}

interface Kept {
  readonly workspaceId: string;
  /** A third of the lease: two extensions may fail. */
  readonly everyMs: number;
  readonly holders: HeldLease[];
  open: number;
  extendAt: number;
}

const shortest = 200;
const longest = 10_000;

export function createLeaseKeeper(client: Queryable, log: Log): LeaseKeeper {
  const kept = new Map<string, Kept>();
  const timer = setInterval(extendDue, shortest);
  timer.unref();

  function extendDue(): void {
    const now = Date.now();
    const due = [...kept].filter(([, lease]) => lease.extendAt <= now);
    const byWorkspace = Map.groupBy(due, ([, lease]) => lease.workspaceId);
    for (const [workspaceId, leases] of byWorkspace) void extend(workspaceId, leases);
  }

  async function extend(workspaceId: string, leases: readonly [string, Kept][]): Promise<void> {
    const tokens = leases.map(([token]) => token);
    for (const [, lease] of leases) lease.extendAt = Number.POSITIVE_INFINITY; // until there is an answer
    try {
      const extended = await extendLeases(client, workspaceId, tokens);
      const alive = new Set(extended.map((each) => each.claimToken));
      for (const [token, lease] of leases) {
        lease.extendAt = Date.now() + lease.everyMs;
        // Those that have ended meanwhile have no lease either.
        if (!alive.has(token) && kept.has(token)) lose(token, lease);
      }
    } catch (error) {
      for (const [, lease] of leases) lease.extendAt = Date.now() + lease.everyMs / 4;
      log.warn('leases could not be extended', { workspace_id: workspaceId, error: String(error) });
    }
  }

  function lose(token: string, lease: Kept): void {
    kept.delete(token);
    for (const holder of lease.holders) holder.onLost();
  }

  return {
    hold(lease) {
      const known = kept.get(lease.claimToken);
      if (known !== undefined) {
        known.open += 1;
        known.holders.push(lease);
        return;
      }
      const everyMs = everyOf(lease.leaseUntil);
      const { workspaceId, claimToken } = lease;
      const extendAt = Date.now() + everyMs;
      kept.set(claimToken, { workspaceId, everyMs, holders: [lease], open: 1, extendAt });
    },
    release(claimToken) {
      const lease = kept.get(claimToken);
      if (lease === undefined) return;
      lease.open -= 1;
      if (lease.open === 0) kept.delete(claimToken);
    },
    stop: () => clearInterval(timer),
  };
}

// The end is by the server's clock. Where ours is far from it the shortest interval is right.
function everyOf(leaseUntil: string): number {
  const left = Date.parse(leaseUntil) - Date.now();
  return left > 0 ? Math.min(longest, Math.max(shortest, left / 3)) : shortest;
}
