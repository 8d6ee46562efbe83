// Outcomes of sends, as an adapter would report them.

import type { ClaimedDelivery } from '../../../src/db/claim.ts';
import type { GivenError, Outcome, PlainSent } from '../../../src/db/commit.ts';

type Held = Pick<ClaimedDelivery, 'deliveryId' | 'claimToken'>;

export function sent({ deliveryId, claimToken }: Held): Outcome {
  return { deliveryId, claimToken, ok: true, providerMessageId: `id-${deliveryId}` };
}

/** Successes for commitSent, which records them together. */
export function allSent(held: readonly Held[]): PlainSent {
  return {
    deliveryIds: held.map((each) => each.deliveryId),
    claimTokens: held.map((each) => each.claimToken),
    providerMessageIds: held.map((each) => `id-${each.deliveryId}`),
  };
}

/** A failure: transient and of this delivery alone, unless `error` differs. */
export function failed({ deliveryId, claimToken }: Held, error: Partial<GivenError> = {}): Outcome {
  const passing = { category: 'TRANSIENT', scope: 'delivery', code: 'busy' } as const;
  return { deliveryId, claimToken, ok: false, error: { ...passing, ...error } };
}

const refusals: readonly (readonly [share: number, error: GivenError])[] = [
  [0.05, { category: 'TRANSIENT', scope: 'delivery', code: 'busy' }],
  [0.02, { category: 'TRANSIENT', scope: 'platform', code: '502' }],
  [0.03, { category: 'TRANSIENT', scope: 'delivery', code: 'media_not_ready' }],
  [0.002, { category: 'TRANSIENT', scope: 'platform', code: '429', retryAfterMs: 300 }],
  [0.002, { category: 'TRANSIENT', scope: 'channel', code: '429', retryAfterMs: 300 }],
  [0.001, { category: 'PERMANENT', scope: 'platform', code: '401' }],
  [0.042, { category: 'PERMANENT', scope: 'delivery', code: '400' }],
  [0.003, { category: 'PERMANENT', scope: 'channel', code: '403' }],
];

/** What platforms answer on a busy day: 85 of 100 sends arrive. `random` is between 0 and 1. */
export function mixedOutcome(held: Held, random: number): Outcome {
  let from = 0;
  for (const [share, error] of refusals) {
    from += share;
    if (random < from) return failed(held, error);
  }
  return sent(held);
}
