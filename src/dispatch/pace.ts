// The pace of one send. The claim has paid for the first call. Every further call takes slots of its own when it is
// ready to be made, and waits for them; the lease is extended meanwhile.

import type { BeforeCall } from '../adapters/adapter.ts';
import { type CallRequest, takeCall } from '../db/claim.ts';
import type { Queryable } from '../db/pool.ts';
import { type HeldSend, whileHeld } from './while-held.ts';

export interface PaceOptions extends HeldSend {
  readonly client: Queryable;
  readonly held: Pick<CallRequest, 'workspaceId' | 'deliveryId' | 'claimToken'>;
  /** Undefined for the database's own time. */
  readonly now: () => string | undefined;
}

/** We ask again after this long at most, to hear of a longer ban or a lost claim. */
const longestWaitMs = 10_000;

export function createPace(options: PaceOptions): BeforeCall {
  const { client, held, signal } = options;
  let isPaid = true;

  /** The slots are looked at again after each wait: a cooldown that has begun meanwhile makes them void. */
  async function takeSlots(messages: number): Promise<string | undefined> {
    let slots: CallRequest['slots'];
    while (!signal.aborted) {
      const call = { ...held, messages, slots };
      const taken = await whileHeld(options, () => takeCall(client, call, options.now()));
      if (taken === undefined) return 'the claim is no longer ours';
      if (taken.waitMs === 0) return undefined;
      slots = taken.slots;
      await options.wait(Math.min(taken.waitMs, longestWaitMs), signal);
    }
    return 'the send was stopped';
  }

  return async ({ messages }) => {
    if (isPaid) {
      isPaid = false;
      return undefined;
    }
    try {
      return await takeSlots(messages);
    } catch {
      return 'the database could not be asked for the pace';
    }
  };
}
