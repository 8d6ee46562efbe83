// What a broker passes on to consumers, and in which order.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BrokerServer } from '../support/brokers/broker-server.ts';
import type { BrokerHarness } from './broker-harness.ts';
import type { BrokerStage } from './broker-stage.ts';
import { anEvent, codesOf, confirmed, payloadOf, someEvents } from './events.ts';

export function describePublishing<Server extends BrokerServer>(
  { abilities }: BrokerHarness<Server>,
  stage: () => BrokerStage<Server>,
): void {
  describe('publishing', () => {
    it('is ready when its server is', async () => {
      const broker = await stage().open();
      expect(await stage().check(broker)).toEqual({ ok: true });
    });

    it('hands a consumer the payload and the attributes of the event', async () => {
      const broker = await stage().open();
      const event = anEvent({ eventType: 'order_state_changed', aggregateType: 'checkout_group' });
      expect(await stage().publish(broker, [event])).toMatchObject([confirmed]);
      const [found, ...others] = await stage().found([event]);
      expect(others).toEqual([]);
      expect(JSON.parse(found?.body ?? '')).toEqual(JSON.parse(event.payload));
      expect(found?.attributes).toEqual({
        event_id: event.eventId,
        event_type: 'order_state_changed',
        aggregate_type: 'checkout_group',
        aggregate_id: event.aggregateId,
        created_at: '2026-03-04T05:06:07.089012Z',
      });
      expect(found?.key).toBe(abilities.keyOf?.(event));
    });

    it('carries every character', async () => {
      const broker = await stage().open();
      const data = '\u0000 \u2028 "\\" \r\n\t Ёлка 中文 العربية 👨‍👩‍👧‍👦 \u{1F3F4}\u{E0067} \ud800';
      const event = anEvent({ data: { [data]: data } });
      expect(codesOf(await stage().publish(broker, [event]))).toEqual(['ok']);
      const [found] = await stage().found([event]);
      expect(JSON.parse(found?.body ?? '')).toEqual(JSON.parse(event.payload));
    });

    it('keeps the order of the events of a key', async () => {
      const broker = await stage().open();
      const keys = Array.from({ length: 5 }, () => randomUUID());
      const events = Array.from({ length: 100 }, (_none, n) =>
        anEvent({ aggregateId: keys[(n * n) % 5] ?? '', data: n }),
      );
      expect(codesOf(await stage().publish(broker, events))).toEqual(events.map(() => 'ok'));
      const found = await stage().found(events);
      for (const key of keys) {
        const sent = events.filter(({ aggregateId }) => aggregateId === key);
        const came = found.filter(({ attributes }) => attributes['aggregate_id'] === key);
        expect(came.map(({ attributes }) => attributes['event_id'])).toEqual(
          sent.map(({ eventId }) => eventId),
        );
      }
    });

    it('takes a thousand events in one batch', async () => {
      const broker = await stage().open();
      const events = someEvents(1000);
      expect(new Set(codesOf(await stage().publish(broker, events)))).toEqual(new Set(['ok']));
      const found = await stage().found(events);
      expect(new Set(found.map(({ attributes }) => attributes['event_id'])).size).toBe(1000);
      expect(found).toHaveLength(1000);
    });

    it('takes a thousand events of one key in one batch', async () => {
      const broker = await stage().open();
      const events = someEvents(1000, { aggregateId: randomUUID() });
      expect(new Set(codesOf(await stage().publish(broker, events)))).toEqual(new Set(['ok']));
      const found = await stage().found(events);
      expect(found.map(({ attributes }) => attributes['event_id'])).toEqual(
        events.map(({ eventId }) => eventId),
      );
    });

    it('publishes several batches at once', async () => {
      const broker = await stage().open();
      const batches = Array.from({ length: 4 }, () => someEvents(50));
      const results = await Promise.all(batches.map((batch) => stage().publish(broker, batch)));
      expect(new Set(results.flatMap(codesOf))).toEqual(new Set(['ok']));
      expect(await stage().found(batches.flat())).toHaveLength(200);
    });

    it('answers an empty batch with an empty list', async () => {
      const broker = await stage().open();
      expect(await stage().publish(broker, [])).toEqual([]);
    });

    it('carries a payload as long as the server takes', async () => {
      const broker = await stage().open();
      const event = anEvent();
      const length = abilities.longestPayload?.(event) ?? 2 * 1024 * 1024;
      const long = { ...event, payload: payloadOf(length) };
      expect(codesOf(await stage().publish(broker, [long]))).toEqual(['ok']);
      const [found] = await stage().found([long]);
      expect(Buffer.byteLength(found?.body ?? '')).toBe(length);
    });
  });

  describe('publishing once more', () => {
    it.runIf(abilities.knowsRepeats)('confirms a repeat, and does not store it again', async () => {
      const broker = await stage().open();
      const event = anEvent();
      expect(await stage().publish(broker, [event])).toMatchObject([{ ok: true, isRepeat: false }]);
      expect(await stage().publish(broker, [event])).toMatchObject([{ ok: true, isRepeat: true }]);
      expect(await stage().found([event])).toHaveLength(1);
    });

    it.runIf(!abilities.knowsRepeats)('confirms a repeat, with the same id', async () => {
      const broker = await stage().open();
      const event = anEvent();
      expect(codesOf(await stage().publish(broker, [event, event]))).toEqual(['ok', 'ok']);
      const found = await stage().found([event]);
      expect(found).toHaveLength(2);
      expect(found[1]).toEqual(found[0]);
    });
  });
}
