import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { attributesOf, orderingKeyOf } from '../../src/outbox/broker.ts';
import { type PubSubServer, startPubSub, unfit } from '../support/brokers/pubsub.ts';
import type { BrokerHarness } from './broker-harness.ts';
import { describeBroker } from './conformance.ts';
import { anEvent, codesOf, kindsOf, someEvents } from './events.ts';

const harness: BrokerHarness<PubSubServer> = {
  title: 'Google Pub/Sub',
  start: startPubSub,
  abilities: {
    hasServer: true,
    longestPayload(event) {
      const texts = [...Object.entries(attributesOf(event)).flat(), orderingKeyOf(event)];
      return 10_000_000 - texts.join('').length;
    },
    knowsRepeats: false,
    keyOf: orderingKeyOf,
    // gRPC waits for the first word for ever, and does not end what it waits for.
    leavesSilentConnections: true,
  },
};

describeBroker(harness, (stage) => {
  function addressOf(topic: string, more = ''): string {
    return stage().server.address().replace('?', `/${topic}?${more}`);
  }

  it('puts the events of a key into few requests', async () => {
    const broker = await stage().open();
    const before = stage().server.requests.length;
    await stage().publish(broker, someEvents(1000, { aggregateId: randomUUID() }));
    expect(stage().server.requests.slice(before)).toEqual([1000]);
  });

  it('refuses one event of a request, and publishes the others in order', async () => {
    const broker = await stage().open();
    const aggregateId = randomUUID();
    const events = [1, 2, unfit, 4, unfit, 6].map((data) => anEvent({ aggregateId, data }));
    const results = await stage().publish(broker, events);
    expect(kindsOf(results)).toEqual(['ok', 'ok', 'refused', 'ok', 'refused', 'ok']);
    const found = await stage().found(events);
    const fit = [0, 1, 3, 5].map((index) => events[index]?.payload);
    expect(found.map(({ body }) => body)).toEqual(fit);
    expect(codesOf(await stage().publish(broker, [anEvent({ aggregateId })]))).toEqual(['ok']);
  });

  it('gives a moment of trouble no notice', async () => {
    const broker = await stage().open();
    stage().server.fail(status.UNAVAILABLE, 2);
    expect(codesOf(await stage().publish(broker, [anEvent()]))).toEqual(['ok']);
  });

  it.each([
    [status.UNAVAILABLE, 'unreachable'],
    [status.RESOURCE_EXHAUSTED, 'throttled'],
    [status.PERMISSION_DENIED, 'not_allowed'],
    [status.UNAUTHENTICATED, 'not_allowed'],
    [status.DEADLINE_EXCEEDED, 'timeout'],
    [status.FAILED_PRECONDITION, 'grpc_9'],
  ])('is unavailable for code %d, and the key goes on afterwards', async (code, expected) => {
    const broker = await stage().open({ timeoutMs: 10_000 }); // the client repeats for a quarter of it
    const events = someEvents(3, { aggregateId: randomUUID() });
    expect(await stage().check(broker)).toEqual({ ok: true });
    stage().server.fail(code, Number.POSITIVE_INFINITY);
    const results = await stage().publish(broker, events);
    stage().server.fail(code, 0);
    expect(codesOf(results)).toEqual([expected, expected, expected]);
    expect(new Set(kindsOf(results))).toEqual(new Set(['unavailable']));
    expect(codesOf(await stage().publish(broker, events))).toEqual(['ok', 'ok', 'ok']);
  });

  it('is unavailable without its topic, and says so', async () => {
    const broker = await stage().open({ address: addressOf('nobody') });
    expect(await stage().check(broker)).toMatchObject({ fault: { code: 'no_topic' } });
    expect(codesOf(await stage().publish(broker, someEvents(1)))).toEqual(['no_topic']);
  });

  it('makes the topic when it is told to', async () => {
    const broker = await stage().open({ address: addressOf('made', 'create=true&') });
    expect(codesOf(await stage().publish(broker, someEvents(1)))).toEqual(['ok']);
    expect(stage().server.topics).toContain('projects/pf-project/topics/made');
    const again = await stage().open({ address: addressOf('made', 'create=true&') });
    expect(await stage().check(again)).toEqual({ ok: true });
  });

  it('is ready without the right to look at the topic', async () => {
    stage().server.allowLooking(false);
    const checked = await stage().check(await stage().open());
    stage().server.allowLooking(true);
    expect(checked).toEqual({ ok: true });
  });
});
