// A broker, its server, and the wire between them, for one file of tests.

import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { silentLog } from '../../src/log.ts';
import type {
  Broker,
  BrokerFault,
  Checked,
  OutboxEvent,
  Published,
} from '../../src/outbox/broker.ts';
import { openBroker } from '../../src/outbox/brokers/open-broker.ts';
import type { BrokerServer, Received } from '../support/brokers/broker-server.ts';
import { startTcpProxy, type TcpProxy } from '../support/http/tcp-proxy.ts';
import type { BrokerHarness } from './broker-harness.ts';

export interface BrokerStage<Server extends BrokerServer = BrokerServer> {
  readonly server: Server;
  /** A broker of its own for the test, closed after it. */
  open(options?: OpenOptions): Promise<Broker>;
  /** A wire to the server that can be cut or fall silent. */
  wire(): Promise<TcpProxy>;
  publish(broker: Broker, events: readonly OutboxEvent[]): Promise<Published[]>;
  check(broker: Broker): Promise<Checked>;
  /** What a consumer finds of these events, oldest first. */
  found(events: readonly OutboxEvent[]): Promise<Received[]>;
}

export interface OpenOptions {
  readonly timeoutMs?: number;
  readonly wire?: TcpProxy;
  readonly address?: string;
}

/** Long enough for a busy machine; whoever waits for it to pass says less. */
const patientMs = 30_000;

export function useBrokerStage<Server extends BrokerServer>(
  harness: BrokerHarness<Server>,
): () => BrokerStage<Server> {
  let server: Server | undefined;
  const undo: (() => unknown)[] = [];

  beforeAll(async () => {
    server = await harness.start();
  }, 300_000);
  afterAll(() => server?.close());
  afterEach(async () => {
    for (const step of undo.splice(0).toReversed()) await step();
  });

  return () => {
    const there = server;
    if (there === undefined) throw new Error('the server was not started');
    const never = new AbortController().signal;
    return {
      server: there,
      async open({ timeoutMs = patientMs, wire, address } = {}) {
        const where = address ?? there.address(portOf(wire));
        const broker = await openBroker(where, { log: silentLog, ...harness.options, timeoutMs });
        undo.push(() => broker.close());
        return broker;
      },
      async wire() {
        const wire = await startTcpProxy(`http://127.0.0.1:${there.port}`);
        undo.push(() => wire.close());
        return wire;
      },
      async publish(broker, events) {
        const results = await broker.publish(events, never);
        expect(results).toHaveLength(events.length);
        for (const result of results) if (!result.ok) expectClean(harness, result.fault);
        return results;
      },
      async check(broker) {
        const checked = await broker.check(never);
        if (!checked.ok) expectClean(harness, checked.fault);
        return checked;
      },
      async found(events) {
        const ids = new Set(events.map(({ eventId }) => eventId));
        const all = await there.received();
        return all.filter(({ attributes }) => ids.has(attributes['event_id'] ?? ''));
      },
    };
  };
}

function portOf(wire: TcpProxy | undefined): number | undefined {
  return wire === undefined ? undefined : Number(new URL(wire.url).port);
}

/** Every fault that a test meets is looked at: it names neither the server nor its password. */
function expectClean({ abilities: { password } }: BrokerHarness, fault: BrokerFault): void {
  const text = JSON.stringify(fault);
  expect(text).not.toMatch(/127\.0\.0\.1|localhost|:\/\//);
  if (password !== undefined) expect(text).not.toContain(password);
  expect(fault.message).toMatch(/^[^\n]{10,300}$/);
  expect(fault.code).toMatch(/^[a-z0-9_]+$/);
}

/** Nothing comes through any more; answers whether something was tried since. */
export async function silence(wire: TcpProxy): Promise<() => boolean> {
  wire.freeze();
  await wire.greet('left');
  const [made, held] = [wire.made(), wire.held()];
  return () => wire.made() > made || wire.held() > held;
}
