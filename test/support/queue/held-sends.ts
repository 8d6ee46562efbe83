import type { ClaimedDelivery } from '../../../src/db/claim.ts';
import type { Deliver } from '../../../src/dispatch/deliver.ts';

/** Sends that stand still before they begin until a test lets them go, or they are told to stop. */
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
