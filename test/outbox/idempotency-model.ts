// What an idempotency store holds of one event, in the simplest terms.

import type { Claimed, Lease } from '../../src/outbox/idempotency/store.ts';

export class StoreModel {
  #now = 0;
  #lease: { readonly owner: string; readonly until: number } | undefined;
  #processedBy: string | undefined;

  pass(ms: number): void {
    this.#now += ms;
  }

  #holder(): string | undefined {
    return this.#lease !== undefined && this.#lease.until > this.#now
      ? this.#lease.owner
      : undefined;
  }

  #take(owner: string, leaseMs: number): void {
    this.#lease = { owner, until: this.#now + leaseMs };
  }

  claim({ owner }: Lease, leaseMs: number): Claimed {
    if (this.#processedBy !== undefined) return 'processed';
    if ((this.#holder() ?? owner) !== owner) return 'busy';
    this.#take(owner, leaseMs);
    return 'claimed';
  }

  extend({ owner }: Lease, leaseMs: number): boolean {
    if (this.#processedBy !== undefined || this.#holder() !== owner) return false;
    this.#take(owner, leaseMs);
    return true;
  }

  confirm({ owner }: Lease): boolean {
    if (this.#processedBy === undefined && (this.#holder() ?? owner) === owner) {
      this.#processedBy = owner;
    }
    return this.#processedBy === owner;
  }

  release({ owner }: Lease): boolean {
    if (this.#processedBy !== undefined || this.#holder() !== owner) return false;
    this.#lease = undefined;
    return true;
  }
}
