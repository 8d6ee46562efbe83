// Sends whose answers do not come, and what follows on them.

import { expect } from 'vitest';
import type { SendOutcome, SendRequest } from '../../src/adapters/adapter.ts';
import { errorOf, type Stage } from './stage.ts';

export const held = { category: 'PERMANENT', scope: 'delivery', code: 'outcome_unknown' };

export interface Unheard {
  /** A channel that leads there. */
  readonly to: (
    targetId: string,
    settings?: SendRequest['channel']['settings'],
  ) => { readonly channel: SendRequest['channel'] };
  /** The send arrives, and its answer does not. */
  readonly sendUnheard: (changes?: Partial<SendRequest>) => Promise<void>;
  /** The next attempt. */
  readonly again: (changes?: Partial<SendRequest>) => Promise<SendOutcome>;
}

export function unheardOn(stage: () => Stage): Unheard {
  return {
    to: (targetId, settings = {}) => ({
      channel: { ...stage().request().channel, targetId, settings },
    }),
    async sendUnheard(changes) {
      stage().faults.add({ kind: 'drop', stored: true, method: 'POST /messages', times: 1 });
      expect(errorOf(await stage().send(changes)).code).toBe('outcome_unknown');
    },
    again: (changes) => stage().send({ ...changes, outcomeUnknown: true }),
  };
}
