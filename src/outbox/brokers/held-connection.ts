// One connection at a time, opened when it is needed. The clients do not reconnect by themselves: they would send
// again, unseen and out of order, what a caller was told had failed.
//
//   none ── get ──► opening ──► open ── lost or dropped ──► none
//                      └── fails ──► none

import type { Deadline } from './deadline.ts';
import { closedFault, FaultError, unavailable } from './faults.ts';

export interface Connector<C> {
  /** Opens a connection that is ready to publish. When the signal comes, it gives up and leaves nothing behind. */
  open(signal: AbortSignal): Promise<C>;
  isOpen(connection: C): boolean;
  /** Ends it at once, whatever is under way. */
  discard(connection: C): void;
  /** Ends it in the way of the protocol, with a goodbye. */
  close(connection: C): Promise<void>;
}

const late = unavailable('timeout', 'the connection to the broker could not be made in time');

export class HeldConnection<C> {
  readonly #connector: Connector<C>;
  readonly #timeoutMs: number;
  readonly #closing = new AbortController();
  #opening: Promise<C | undefined> | undefined;
  #current: C | undefined;

  constructor(connector: Connector<C>, timeoutMs: number) {
    this.#connector = connector;
    this.#timeoutMs = timeoutMs;
  }

  /** Aborted by `close`. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** The connection that is open, or a new one. Callers that ask while it is being opened get the same one. */
  async get(deadline: Deadline): Promise<C> {
    if (this.closing.aborted) throw new FaultError(closedFault);
    const current = this.#current;
    if (current !== undefined && this.#connector.isOpen(current)) return current;
    if (current !== undefined) this.drop(current);
    // Another caller began to open it earlier, and its time ends before ours: when it is late, we open one ourselves.
    const begun = this.#opening;
    const found = begun === undefined ? undefined : await deadline.within(begun);
    return found ?? this.#opened(deadline);
  }

  /** Ends a connection that no longer answers. */
  drop(connection: C): void {
    if (this.#current === connection) this.#current = undefined;
    this.#connector.discard(connection);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#opening?.catch(() => undefined);
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    if (!this.#connector.isOpen(current)) return this.#connector.discard(current);
    const bye = this.#connector.close(current).catch(() => undefined);
    const timeUp = AbortSignal.timeout(Math.min(2000, this.#timeoutMs));
    const isLate = new Promise<'late'>((resolve) =>
      timeUp.addEventListener('abort', () => resolve('late'), { once: true }),
    );
    if ((await Promise.race([bye, isLate])) === 'late') this.#connector.discard(current);
  }

  async #opened(deadline: Deadline): Promise<C> {
    this.#opening ??= this.#open();
    const connection = await deadline.within(this.#opening);
    if (connection === undefined) throw new FaultError(late);
    return connection;
  }

  // It has the whole timeout, not what is left of the first caller's: other callers wait for it too. Undefined: it took
  // too long.
  async #open(): Promise<C | undefined> {
    const timeUp = AbortSignal.timeout(this.#timeoutMs);
    try {
      const signal = AbortSignal.any([timeUp, this.closing]);
      this.#current = await this.#connector.open(signal);
      return this.#current;
    } catch (error) {
      if (timeUp.aborted) return undefined;
      throw error;
    } finally {
      this.#opening = undefined;
    }
  }
}
