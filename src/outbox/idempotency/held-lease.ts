// Keeps the lease of an event while its handler runs, and tells the handler when it is lost.

import type { Clock } from '../../clock.ts';
import { OutriderError } from '../../errors.ts';
import type { EventKey, IdempotencyStore, Lease } from './store.ts';

export interface HeldLease {
  /** Aborted as soon as another process may have the event. */
  readonly signal: AbortSignal;
  /** No other process has the event before this time, by our clock. */
  until(): number;
  /** Stops extending. The lease in the store stays as it is. */
  end(): void;
}

/**
 * `askedAt` is when the claim was sent. The store began to count later, so that our end of the lease never comes after
 * the store's. When the store does not answer, the lease still ends at our end.
 */
export function holdLease(
  store: IdempotencyStore,
  { lease, leaseMs, askedAt }: { lease: Lease; leaseMs: number; askedAt: number },
  clock: Clock,
): HeldLease {
  const aborter = new AbortController();
  const everyMs = leaseMs / 3; // two extensions may fail
  let until = askedAt + leaseMs;
  let isOver = false;
  let callOffNext = clock.after(Math.max(0, askedAt + everyMs - clock.now()), () => void extend());
  let callOffEnd = clock.after(until - clock.now(), lose);

  async function extend(): Promise<void> {
    const sentAt = clock.now();
    const answer = await store.extend(lease, leaseMs).catch(() => 'unknown' as const);
    if (isOver) return;
    if (answer === false) return lose();
    if (answer === true) {
      until = sentAt + leaseMs;
      callOffEnd();
      callOffEnd = clock.after(until - clock.now(), lose);
    }
    const againAt = answer === true ? sentAt + everyMs : clock.now() + everyMs / 4;
    callOffNext = clock.after(Math.max(0, againAt - clock.now()), () => void extend());
  }

  function lose(): void {
    if (isOver) return;
    end();
    aborter.abort(leaseLost(lease));
  }

  function end(): void {
    isOver = true;
    callOffNext();
    callOffEnd();
  }

  return { signal: aborter.signal, until: () => until, end };
}

export function leaseLost({ consumer, eventId }: EventKey): OutriderError {
  return new OutriderError(
    'lease_lost',
    `consumer ${consumer} lost its lease of event ${eventId} while the handler ran: another process may have processed the event, too`,
    {
      hint: 'do not acknowledge the event; if this happens often, the process is blocked for longer than a lease, or the store is away',
    },
  );
}
