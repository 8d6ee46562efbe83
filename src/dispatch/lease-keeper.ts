// Knows until when the leases of this process last, extends those of sends that take longer than a moment,
// and tells a send that its lease is lost.
//
// We count a lease from the moment before we asked for it, by our own clock, which need not agree with the server's.
// So a lease never ends later here than there. Only a confirmed extension moves its end.

import type { Clock } from '../clock.ts';
import { extendLeases } from '../db/claim.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';

export interface LeaseKeeper {
  /** Keeps the lease of a claim until every holder of the claim has let it go. */
  hold(claim: HeldClaim): Hold;
  stop(): void;
}

export interface HeldClaim {
  readonly workspaceId: string;
  readonly claimToken: string;
  readonly leaseMs: number;
  /** When the claim was asked for. */
  readonly askedAt: number;
  /** Called when another sender may have the delivery by now. */
  onLost(): void;
}

export interface Hold {
  /** True as long as no other sender can have the delivery. */
  readonly holds: () => boolean;
  readonly letGo: () => void;
}

interface Lease {
  readonly workspaceId: string;
  readonly claimToken: string;
  /** A third of the lease: two extensions may fail. */
  readonly everyMs: number;
  readonly holders: Set<HeldClaim>;
  until: number;
  extendAt: number;
}

const shortest = 200;
const longest = 10_000;

export function createLeaseKeeper(client: Queryable, log: Log, clock: Clock): LeaseKeeper {
  const leases = new Map<string, Lease>();
  let callOff = clock.after(shortest, extendDue);

  function extendDue(): void {
    const now = clock.now();
    const due = [...leases.values()].filter((lease) => lease.extendAt <= now);
    const byWorkspace = Map.groupBy(due, (lease) => lease.workspaceId);
    for (const [workspaceId, group] of byWorkspace) void extend(workspaceId, group);
    callOff = clock.after(shortest, extendDue);
  }

  async function extend(workspaceId: string, due: readonly Lease[]): Promise<void> {
    const askedAt = clock.now();
    for (const lease of due) lease.extendAt = Number.POSITIVE_INFINITY; // until there is an answer
    try {
      const tokens = due.map((lease) => lease.claimToken);
      const extended = await extendLeases(client, workspaceId, tokens);
      const lengths = new Map(extended.map((each) => [each.claimToken, each.leaseMs]));
      for (const lease of due) {
        const leaseMs = lengths.get(lease.claimToken);
        if (leaseMs === undefined) lose(lease);
        else renew(lease, askedAt, leaseMs);
      }
    } catch (error) {
      for (const lease of due) lease.extendAt = clock.now() + lease.everyMs / 4;
      log.warn('leases could not be extended', { workspace_id: workspaceId, error: String(error) });
    }
  }

  function renew(lease: Lease, askedAt: number, leaseMs: number): void {
    lease.until = askedAt + leaseMs;
    lease.extendAt = askedAt + lease.everyMs;
  }

  /** A lease whose sends have all ended meanwhile is lost too, but has no holder that would have to know. */
  function lose(lease: Lease): void {
    leases.delete(lease.claimToken);
    lease.until = Number.NEGATIVE_INFINITY;
    for (const holder of lease.holders) holder.onLost();
  }

  function leaseOf(claim: HeldClaim): Lease {
    const { workspaceId, claimToken, leaseMs, askedAt } = claim;
    const known = leases.get(claimToken);
    if (known !== undefined) return known;
    const everyMs = Math.min(longest, Math.max(shortest, leaseMs / 3));
    const holders = new Set<HeldClaim>();
    const until = askedAt + leaseMs;
    const lease = { workspaceId, claimToken, everyMs, holders, until, extendAt: askedAt + everyMs };
    leases.set(claimToken, lease);
    return lease;
  }

  return {
    hold(claim) {
      const lease = leaseOf(claim);
      lease.holders.add(claim);
      return {
        holds: () => clock.now() < lease.until,
        letGo() {
          lease.holders.delete(claim);
          if (lease.holders.size === 0) leases.delete(lease.claimToken);
        },
      };
    },
    stop: () => callOff(),
  };
}
