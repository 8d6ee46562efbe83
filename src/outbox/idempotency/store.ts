// The port of a store that remembers which events a consumer has processed. A mark says that an event was processed,
// and is kept for long. A lease says that an event is being processed now, and ends by itself soon.
//
//   nothing ── claim ──► leased ── confirm ──► processed ── ttl ──► nothing
//      ▲                   │                       ▲
//      └── release, end ───┘      checkAndMark ────┘  (from nothing)
//
// Every method throws an OutriderError when the store cannot be asked. It never answers with a guess.

import { InvalidInputError } from '../../errors.ts';
import { isNil } from '../nil-uuid.ts';

/** Which event, for whom. The same event is processed once by each consumer. */
export interface EventKey {
  /** The consumer's name: the same for all its processes. */
  readonly consumer: string;
  /** The id of the outbox row. */
  readonly eventId: string;
}

export interface Lease extends EventKey {
  /** A UUID that tells this holder from every other one; it is used for one lease only. */
  readonly owner: string;
}

/** `busy`: another holder has the lease now. */
export type Claimed = 'claimed' | 'processed' | 'busy';

export interface IdempotencyStore {
  readonly name: string;
  /**
   * Marks the event as processed, and answers whether it was marked before. The mark comes before the effect: a process
   * that dies between them has lost the event. `processOnce` has no such gap. Throws `still_in_flight` while there is a
   * lease of the event.
   */
  checkAndMarkProcessed(consumer: string, eventId: string, ttlMs?: number): Promise<boolean>;
  /** Takes the event for the length of a lease. Asked again with the same owner, it starts the lease anew. */
  claim(lease: Lease, leaseMs: number): Promise<Claimed>;
  /** Starts the lease anew; false when it has ended or another holder has it. */
  extend(lease: Lease, leaseMs: number): Promise<boolean>;
  /**
   * Marks the event as processed. When another holder has it or has processed it, the answer is false and nothing
   * changes. A lease that has ended is confirmed if nobody else took the event: the effect is there, and has to be
   * remembered.
   */
  confirm(lease: Lease, ttlMs: number): Promise<boolean>;
  /** Gives the event back unprocessed; false when the lease had ended. */
  release(lease: Lease): Promise<boolean>;
  close(): Promise<void>;
}

const day = 86_400_000;

/** How long a mark is kept: longer than the broker redelivers. The configuration takes 7 to 30 days. */
export const ttlBounds = { min: 1000, max: 366 * day, default: 7 * day } as const;

/** How long an event stays with a process that has died. */
export const leaseBounds = { min: 1000, max: 900_000, default: 30_000 } as const;

const consumerName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The key with its id in lower case; throws for a key that no store takes. */
export function requireKey({ consumer, eventId }: EventKey): EventKey {
  if (!consumerName.test(consumer)) {
    throw new InvalidInputError(
      'the name of a consumer has 1 to 100 letters, digits, dots, hyphens and underscores, and begins with a letter or digit',
    );
  }
  if (!uuid.test(eventId)) {
    throw new InvalidInputError('event_id is not a UUID; it is the id of the outbox row');
  }
  if (isNil(eventId)) throw new InvalidInputError('event_id is the nil UUID, which is nobody’s id');
  return { consumer, eventId: eventId.toLowerCase() };
}

export function requireTtl(ttlMs: number): number {
  if (Number.isInteger(ttlMs) && ttlMs >= ttlBounds.min && ttlMs <= ttlBounds.max) return ttlMs;
  throw new InvalidInputError(
    `ttlMs is ${ttlMs}; ${ttlBounds.min} to ${ttlBounds.max} (a second to 366 days) are allowed`,
  );
}

export function requireLease(leaseMs: number): number {
  const { min, max } = leaseBounds;
  if (Number.isInteger(leaseMs) && leaseMs >= min && leaseMs <= max) return leaseMs;
  throw new InvalidInputError(
    `leaseMs is ${leaseMs}; ${min} to ${max} (a second to 15 minutes) are allowed`,
  );
}

function requireOwner(lease: Lease): Lease {
  if (!uuid.test(lease.owner)) throw new InvalidInputError('the owner of a lease is a UUID');
  return { ...requireKey(lease), owner: lease.owner.toLowerCase() };
}

/** The store behind the checks that all stores share: a wrong call never reaches a server. */
export function checked(store: IdempotencyStore): IdempotencyStore {
  return {
    name: store.name,
    async checkAndMarkProcessed(consumer, eventId, ttlMs = ttlBounds.default) {
      const key = requireKey({ consumer, eventId });
      return store.checkAndMarkProcessed(key.consumer, key.eventId, requireTtl(ttlMs));
    },
    async claim(lease, leaseMs) {
      return store.claim(requireOwner(lease), requireLease(leaseMs));
    },
    async extend(lease, leaseMs) {
      return store.extend(requireOwner(lease), requireLease(leaseMs));
    },
    async confirm(lease, ttlMs) {
      return store.confirm(requireOwner(lease), requireTtl(ttlMs));
    },
    async release(lease) {
      return store.release(requireOwner(lease));
    },
    close: () => store.close(),
  };
}
