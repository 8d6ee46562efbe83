// How long a call may take: until its own time is up, until the caller gives it up, or until the broker
// is closed, whichever comes first.

import type { BrokerFault } from '../broker.ts';
import { closedFault, FaultError, unavailable } from './faults.ts';

export class Deadline implements Disposable {
  readonly #stop = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #end: number;
  readonly #forget: () => void;

  constructor(timeoutMs: number, given: AbortSignal, closing: AbortSignal) {
    const pass = (fault: BrokerFault) => this.#stop.abort(new FaultError(fault));
    const giveUp = () =>
      pass(unavailable('aborted', 'the call was given up; what it sent may have arrived'));
    const close = () => pass(closedFault);
    const late = `the broker did not answer within ${timeoutMs} ms; what was sent may have arrived`;
    this.#end = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => pass(unavailable('timeout', late)), timeoutMs);
    given.addEventListener('abort', giveUp, { once: true });
    closing.addEventListener('abort', close, { once: true });
    this.#forget = () => {
      given.removeEventListener('abort', giveUp);
      closing.removeEventListener('abort', close);
    };
    if (closing.aborted) close();
    else if (given.aborted) giveUp();
  }

  /** Its reason is a FaultError. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get isPassed(): boolean {
    return this.#stop.signal.aborted;
  }

  /** At least 1: timers take 0 for no limit. */
  get remainingMs(): number {
    return Math.max(1, Math.ceil(this.#end - performance.now()));
  }

  /** The fault of what has no answer. Ask for it only when the deadline has passed. */
  get fault(): BrokerFault {
    const reason: unknown = this.#stop.signal.reason;
    return reason instanceof FaultError ? reason.fault : closedFault;
  }

  /** Waits for the work until the deadline; the work itself is not stopped. */
  async within<T>(work: Promise<T>): Promise<T> {
    const passed = Promise.withResolvers<never>();
    const pass = () => passed.reject(this.#stop.signal.reason);
    this.signal.addEventListener('abort', pass, { once: true });
    if (this.isPassed) pass();
    try {
      return await Promise.race([work, passed.promise]);
    } finally {
      this.signal.removeEventListener('abort', pass);
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#forget();
  }
}
