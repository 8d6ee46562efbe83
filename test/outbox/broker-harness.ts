// What the conformance suite must know of a broker; the rest it does itself. `<broker>-broker.test.ts` runs
// `describeBroker(harness)`.

import type { OutboxEvent } from '../../src/outbox/broker.ts';
import type { BrokerOptions } from '../../src/outbox/brokers/open-broker.ts';
import type { BrokerServer } from '../support/brokers/broker-server.ts';

export interface BrokerHarness<Server extends BrokerServer = BrokerServer> {
  /** For the titles of the tests. */
  readonly title: string;
  /** Why its server cannot be had on this machine. */
  readonly missing?: string | undefined;
  start(): Promise<Server>;
  readonly options?: Partial<BrokerOptions>;
  readonly abilities: BrokerAbilities;
}

export interface BrokerAbilities {
  /** Whether there is a server that can be away. */
  readonly hasServer: boolean;
  /** The longest payload of this event that is taken, in bytes; undefined: any. */
  readonly longestPayload?: (event: OutboxEvent) => number;
  /** Whether the server keeps an event that is published twice only once. */
  readonly knowsRepeats: boolean;
  /** What a consumer finds as key: undefined where there is none. */
  readonly keyOf?: (event: OutboxEvent) => string;
  /** The password in the address. */
  readonly password?: string;
  /** Whether the client keeps connections on which the server never said a word. */
  readonly leavesSilentConnections?: boolean;
}
