// Applies the effect of an event once, although the event may come more than once.
//
//   claim ──► handler ──► confirm        what a crash at each place leaves:
//     │          │           │             before the handler, or in it: a lease that ends; redelivery processes it
//   busy,      throws:     lost:           between the effect and confirm: the effect, and no mark of it
//   duplicate  release     an error        after confirm: nothing to do; redelivery finds the mark

import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '../../clock.ts';
import { OutriderError } from '../../errors.ts';
import { holdLease, leaseLost } from './held-lease.ts';
import {
  type EventKey,
  type IdempotencyStore,
  type Lease,
  leaseBounds,
  requireKey,
  requireLease,
  requireTtl,
  ttlBounds,
} from './store.ts';

export interface EventToProcess extends EventKey {
  /** How long the mark is kept: longer than the broker redelivers. 7 days when missing. */
  readonly ttlMs?: number | undefined;
  /** How long the event stays with a process that has died; extended while the handler runs. */
  readonly leaseMs?: number | undefined;
}

/** `busy`: another process has the event now. Do not acknowledge it: let the broker deliver it again later. */
export type Processed = 'processed' | 'duplicate' | 'busy';

/**
 * The handler applies the effect: when it returns, the effect is there; when it throws, it is not. A handler that stops
 * early because of the signal throws (`signal.throwIfAborted()`).
 *
 * Acknowledge the event after `processed` and `duplicate`, and in no other case. Throws what the handler
 * throws, after the event was given back; and an OutriderError when the store cannot be asked
 * (no effect was applied), when the lease was lost while the handler ran (`lease_lost`), and when the effect was
 * applied but could not be marked (`not_confirmed`).
 */
export async function processOnce(
  store: IdempotencyStore,
  event: EventToProcess,
  handler: (signal: AbortSignal) => unknown,
  clock: Clock = systemClock,
): Promise<Processed> {
  // Everything is checked before the effect: it would be too late if the store refused the mark afterwards.
  const ttlMs = requireTtl(event.ttlMs ?? ttlBounds.default);
  const leaseMs = requireLease(event.leaseMs ?? leaseBounds.default);
  const lease: Lease = { ...requireKey(event), owner: randomUUID() };

  const askedAt = clock.now();
  const claimed = await store.claim(lease, leaseMs);
  if (claimed === 'processed') return 'duplicate';
  if (claimed === 'busy') return 'busy';
  if (clock.now() >= askedAt + leaseMs) {
    await giveBack(store, lease); // the answer took longer than the lease lasts
    return 'busy';
  }

  const held = holdLease(store, { lease, leaseMs, askedAt }, clock);
  try {
    await handler(held.signal);
  } catch (error) {
    held.end();
    await giveBack(store, lease);
    throw error;
  }
  held.end();
  await confirm(store, { lease, ttlMs, until: held.until() }, clock);
  return 'processed';
}

// When it fails, the lease ends by itself. The caller has to hear why the event is given back, not this failure.
async function giveBack(store: IdempotencyStore, lease: Lease): Promise<void> {
  await store.release(lease).catch(() => undefined);
}

// The effect is there. We wait for a store that is away for a moment: without the mark the effect would be applied
// again.
async function confirm(
  store: IdempotencyStore,
  { lease, ttlMs, until }: { lease: Lease; ttlMs: number; until: number },
  clock: Clock,
): Promise<void> {
  for (let waitMs = 100; ; waitMs = Math.min(1000, 2 * waitMs)) {
    try {
      if (await store.confirm(lease, ttlMs)) return;
      throw leaseLost(lease);
    } catch (error) {
      if (!isAway(error)) throw error;
      if (clock.now() + waitMs >= until) throw notConfirmed(lease, error);
    }
    await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
  }
}

function isAway(error: unknown): error is OutriderError {
  return (
    error instanceof OutriderError &&
    ['store_away', 'database_away', 'database_busy'].includes(error.code)
  );
}

function notConfirmed({ consumer, eventId }: EventKey, reason: OutriderError): OutriderError {
  return new OutriderError(
    'not_confirmed',
    `consumer ${consumer} applied the effect of event ${eventId} but could not mark it: ${reason.message}`,
    { hint: 'when the event is delivered again its effect will be applied again' },
  );
}
