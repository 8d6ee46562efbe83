import type { ClaimedDelivery } from '../../../src/db/claim.ts';
import type { Deliver } from '../../../src/dispatch/deliver.ts';

/** Sends that wait before they begin, until the test lets them go or their signal aborts. */
export class HeldSends {
  readonly begun: {
    readonly workspaceId: string;
    readonly delivery: ClaimedDelivery;
    readonly signal: AbortSignal;
  }[] = [];
  readonly deliver: Deliver;
  readonly #going = Promise.withResolvers<void>();

  constructor(deliver: Deliver) {
    this.deliver = async (workspaceId, delivery, lease) => {
      const { signal } = lease;
      this.begun.push({ workspaceId, delivery, signal });
      const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await Promise.race([this.#going.promise, stopped]);
      return deliver(workspaceId, delivery, lease);
    };
  }

  letGo(): void {
    this.#going.resolve();
  }
}
