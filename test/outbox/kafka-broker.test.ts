// There is no Kafka server to be had here: what is held is what happens without one.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/log.ts';
import type { Broker } from '../../src/outbox/broker.ts';
import { openBroker } from '../../src/outbox/brokers/open-broker.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { freePort } from '../support/http/free-port.ts';
import { startTcpProxy, type TcpProxy } from '../support/http/tcp-proxy.ts';
import { codesOf, someEvents } from './events.ts';

const never = new AbortController().signal;
const password = randomUUID();
const undo = useUndo();

async function open(port: number, timeoutMs: number): Promise<Broker> {
  const address = `kafka://outrider:${password}@127.0.0.1:${port}/pf-events?sasl=SCRAM-SHA-512`;
  const broker = await openBroker(address, { log: silentLog, timeoutMs });
  undo.push(() => broker.close());
  return broker;
}

/** A port that takes connections and says nothing. */
async function silentPort(): Promise<[number, TcpProxy]> {
  const wire = await startTcpProxy('http://127.0.0.1:9');
  undo.push(() => wire.close());
  await wire.greet('left');
  return [Number(new URL(wire.url).port), wire];
}

describe('the broker Kafka without a server', () => {
  it('is unavailable where nothing listens', async () => {
    const broker = await open(await freePort(), 30_000); // it is refused at once, and need not be late
    const checked = await broker.check(never);
    expect(checked).toMatchObject({
      ok: false,
      fault: { kind: 'unavailable', code: 'unreachable' },
    });
    const results = await broker.publish(someEvents(2), never);
    expect(codesOf(results)).toEqual(['unreachable', 'unreachable']);
    expect(JSON.stringify([checked, results])).not.toMatch(/127\.0\.0\.1|:\/\//);
  });

  it('is unavailable in time where nobody answers', async () => {
    const [port] = await silentPort();
    const broker = await open(port, 1000);
    const checked = await broker.check(never);
    expect(checked).toMatchObject({ ok: false, fault: { code: 'timeout' } });
    const results = await broker.publish(someEvents(2), never);
    expect(codesOf(results)).toEqual(['timeout', 'timeout']);
    expect(JSON.stringify([checked, results])).not.toContain(password);
  });

  it('ends at once when it is given up', async () => {
    const [port, wire] = await silentPort();
    const broker = await open(port, 60_000);
    const stop = new AbortController();
    const publishing = broker.publish(someEvents(2), stop.signal);
    await expect.poll(() => wire.made()).toBeGreaterThan(0);
    stop.abort();
    expect(codesOf(await publishing)).toEqual(['aborted', 'aborted']);
  });

  it('takes an empty batch', async () => {
    expect(await (await open(await freePort(), 1000)).publish([], never)).toEqual([]);
  });

  it('is closed as often as it is asked to, and unavailable then', async () => {
    const broker = await open(await freePort(), 1000);
    await broker.check(never);
    await Promise.all([broker.close(), broker.close()]);
    expect(codesOf(await broker.publish(someEvents(1), never))).toEqual(['closed']);
    expect(await broker.check(never)).toMatchObject({ ok: false, fault: { code: 'closed' } });
  });
});
