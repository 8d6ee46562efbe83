// Knows until when replies are ours to send, and extends the leases of those that take long. A lease is counted by our own
// clock from before it was asked for, so it never ends later here than in the database.

import type { Clock } from '../clock.ts';
import { type ClaimedReply, extendBotReplies } from '../db/bot.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';

export interface HeldReply {
  /** Ends the send: somebody else may have the reply by now, or the process stops. */
  readonly breakOff: AbortController;
  /** True as long as no other sender can have the reply. */
  readonly holds: () => boolean;
  readonly letGo: () => void;
}

export interface ReplyLeases {
  hold(reply: ClaimedReply, askedAt: number): HeldReply;
  stop(): void;
}

interface Lease {
  readonly reply: ClaimedReply;
  readonly breakOff: AbortController;
  /** A third of the lease: two extensions may fail. */
  readonly everyMs: number;
  until: number;
  extendAt: number;
}

const lookEveryMs = 200;
const longestMs = 10_000;

export function createReplyLeases(client: Queryable, log: Log, clock: Clock): ReplyLeases {
  const leases = new Map<string, Lease>();
  let callOff = clock.after(lookEveryMs, extendDue);

  function extendDue(): void {
    const due = [...leases.values()].filter((lease) => lease.extendAt <= clock.now());
    const claims = Map.groupBy(due, ({ reply }) => `${reply.workspaceId} ${reply.claimToken}`);
    for (const group of claims.values()) void extend(group);
    callOff = clock.after(lookEveryMs, extendDue);
  }

  /** All of one claim. */
  async function extend(due: readonly Lease[]): Promise<void> {
    const [first] = due;
    if (first === undefined) return;
    const { workspaceId, claimToken } = first.reply;
    const askedAt = clock.now();
    for (const lease of due) lease.extendAt = Number.POSITIVE_INFINITY; // until there is an answer
    try {
      const replyIds = due.map(({ reply }) => reply.replyId);
      const extended = await extendBotReplies(client, { workspaceId, replyIds, claimToken });
      const lengths = new Map(extended.map((each) => [each.replyId, each.leaseMs]));
      for (const lease of due) {
        const leaseMs = lengths.get(lease.reply.replyId);
        lease.until = leaseMs === undefined ? Number.NEGATIVE_INFINITY : askedAt + leaseMs;
        lease.extendAt = askedAt + lease.everyMs;
        if (leaseMs === undefined && leases.delete(lease.reply.replyId)) lease.breakOff.abort();
      }
    } catch (error) {
      for (const lease of due) lease.extendAt = clock.now() + lease.everyMs / 4;
      log.warn('leases of replies could not be extended', {
        workspace_id: workspaceId,
        error: String(error),
      });
    }
  }

  return {
    hold(reply, askedAt) {
      const breakOff = new AbortController();
      const everyMs = Math.min(longestMs, Math.max(lookEveryMs, reply.leaseMs / 3));
      const until = askedAt + reply.leaseMs;
      const lease = { reply, breakOff, everyMs, until, extendAt: askedAt + everyMs };
      leases.set(reply.replyId, lease);
      return {
        breakOff,
        holds: () => clock.now() < lease.until,
        letGo: () => void (leases.get(reply.replyId) === lease && leases.delete(reply.replyId)),
      };
    },
    stop: () => callOff(),
  };
}
