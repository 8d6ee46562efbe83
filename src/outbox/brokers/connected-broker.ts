// A broker that is reached over a connection: everything but the protocol.

import type { Broker, BrokerFault, Checked, OutboxEvent, Published } from '../broker.ts';
import { Deadline } from './deadline.ts';
import { type Connector, HeldConnection } from './held-connection.ts';

export interface Protocol<C> extends Connector<C> {
  readonly name: string;
  /** Throws if events cannot be published. */
  check(connection: C, deadline: Deadline): Promise<void>;
  /** One result per event; does not throw. */
  publish(connection: C, events: readonly OutboxEvent[], deadline: Deadline): Promise<Published[]>;
  /** What an error of the client means. */
  faultOf(error: unknown): BrokerFault;
}

export function createConnectedBroker<C>(protocol: Protocol<C>, timeoutMs: number): Broker {
  const held = new HeldConnection(protocol, timeoutMs);

  /** Runs the work on the connection. When there is no connection, or the work throws, the results are faults. */
  async function onConnection<T extends Published | Checked>(
    signal: AbortSignal,
    work: (connection: C, deadline: Deadline) => Promise<T[]>,
    failed: (fault: BrokerFault) => T[],
  ): Promise<T[]> {
    using deadline = new Deadline(timeoutMs, signal, held.closing);
    let connection: C | undefined;
    let results: T[];
    try {
      deadline.signal.throwIfAborted();
      connection = await held.get(deadline);
      results = await work(connection, deadline);
    } catch (error) {
      results = failed(deadline.isPassed ? deadline.fault : protocol.faultOf(error));
    }
    // A connection that did not answer in time may stay silent for good, and every later call would wait in vain.
    if (connection !== undefined && (deadline.isPassed || results.some(isLate))) {
      held.drop(connection);
    }
    return results;
  }

  return {
    name: protocol.name,
    async check(signal): Promise<Checked> {
      const [checked = { ok: true }] = await onConnection<Checked>(
        signal,
        async (connection, deadline) => {
          await deadline.within(protocol.check(connection, deadline));
          return [{ ok: true }];
        },
        (fault) => [{ ok: false, fault }],
      );
      return checked;
    },
    async publish(events, signal): Promise<Published[]> {
      if (events.length === 0) return [];
      return onConnection<Published>(
        signal,
        (connection, deadline) => protocol.publish(connection, events, deadline),
        (fault) => events.map(() => ({ ok: false, fault })),
      );
    },
    close: () => held.close(),
  };
}

function isLate(result: Published | Checked): boolean {
  return !result.ok && result.fault.code === 'timeout';
}
