// How the conformance suite of idempotency stores reaches one of them: on the server that it is for, with its time
// in the hands of the test.

import { randomUUID } from 'node:crypto';
import type { EventKey, IdempotencyStore, Lease } from '../../src/outbox/idempotency/store.ts';
import type { TcpProxy } from '../support/http/tcp-proxy.ts';

/** A store, and its time. */
export interface MovableStore {
  readonly store: IdempotencyStore;
  /** Lets time pass over what the store holds of an event. */
  readonly pass: (event: EventKey, ms: number) => Promise<void>;
}

export interface WiredStore {
  readonly store: IdempotencyStore;
  readonly wire: TcpProxy;
  close(): Promise<void>;
}

export interface StoreHarness {
  open(): MovableStore;
  /** A store at the other end of a wire, which waits for it only a moment. */
  openWired(): Promise<WiredStore>;
}

export function newEvent(consumer = 'mailer'): EventKey {
  return { consumer, eventId: randomUUID() };
}

export function holderOf(event: EventKey): Lease {
  return { ...event, owner: randomUUID() };
}
