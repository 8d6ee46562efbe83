// POST /v1/deliver: sends one claimed delivery and answers with its outcome, which the caller commits.

import { sendError } from '../adapters/answer.ts';
import type { ErrorCode } from '../adapters/error-codes.ts';
import type { Clock } from '../clock.ts';
import { type ClaimedDelivery, holdDelivery } from '../db/claim.ts';
import { type Outcome, outcomeAsJson } from '../db/commit.ts';
import type { Queryable } from '../db/pool.ts';
import type { Deliver } from '../dispatch/deliver.ts';
import { deliveryFacts } from '../dispatch/delivery-facts.ts';
import { createLeaseKeeper } from '../dispatch/lease-keeper.ts';
import { unbroken } from '../dispatch/unbroken.ts';
import type { Answer } from '../http/answer.ts';
import type { Log } from '../log.ts';
import { claimOf, createSends, type IsWanted } from './sends.ts';
import { whileWanted } from './wanted.ts';

export interface DeliveringOptions {
  /** For leases alone: to extend one must not wait behind other queries. */
  readonly client: Queryable;
  readonly deliver: Deliver;
  readonly log: Log;
  readonly clock: Clock;
}

export interface Caller {
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
  /** Aborted when the server has no more time. */
  readonly halted: AbortSignal;
}

export interface Delivering {
  deliver(workspaceId: string, delivery: ClaimedDelivery, caller: Caller): Promise<Answer>;
  stop(): void;
}

export function createDelivering(options: DeliveringOptions): Delivering {
  const { client, log, clock } = options;
  const deliver = unbroken(options.deliver, log);
  const leases = createLeaseKeeper(client, log, clock);
  const sends = createSends<Outcome>({ clock, mayHaveSent });

  async function send(
    workspaceId: string,
    delivery: ClaimedDelivery,
    { isWanted, halted }: { readonly isWanted: IsWanted; readonly halted: AbortSignal },
  ): Promise<Outcome> {
    const { claimToken } = delivery;
    const askedAt = clock.now();
    const leaseMs = await holdDelivery(client, { workspaceId, ...delivery });
    if (leaseMs === null) {
      return notSent(delivery, 'lease_over', 'the delivery is not held under this claim token');
    }
    if (!isWanted()) return notSent(delivery, 'aborted', 'the caller has gone');
    const lost = new AbortController();
    const onLost = (): void => lost.abort();
    const hold = leases.hold({ workspaceId, claimToken, leaseMs, askedAt, onLost });
    try {
      return await deliver(workspaceId, delivery, {
        signal: AbortSignal.any([lost.signal, halted]),
        holds: whileWanted(hold.holds, isWanted),
      });
    } finally {
      hold.letGo();
    }
  }

  return {
    async deliver(workspaceId, delivery, { gone, halted }) {
      const { deliveryId, claimToken } = delivery;
      const claim = claimOf(workspaceId, deliveryId, claimToken);
      const outcome = await sends.send(claim, gone, (isWanted) =>
        send(workspaceId, delivery, { isWanted, halted }),
      );
      return answerOf(workspaceId, delivery, outcome);
    },
    stop: () => leases.stop(),
  };
}

function answerOf(workspaceId: string, delivery: ClaimedDelivery, outcome: Outcome): Answer {
  const facts = {
    ...deliveryFacts(workspaceId, delivery),
    ok: outcome.ok,
    ...(outcome.ok ? {} : { code: outcome.error.code, error: outcome.error.message }),
  };
  return { status: 200, body: outcomeAsJson(outcome), facts };
}

/** A part that was acknowledged has been sent, whatever became of the others. */
function mayHaveSent(outcome: Outcome): boolean {
  return outcome.ok || outcome.error.outcome !== 'not_sent' || (outcome.parts?.length ?? 0) > 0;
}

function notSent(
  { deliveryId, claimToken }: ClaimedDelivery,
  code: ErrorCode,
  message: string,
): Outcome {
  return { deliveryId, claimToken, ok: false, error: sendError(code, message) };
}
