// One event that the server will not have, among others that it will.

import { describe, expect, it } from 'vitest';
import type { BrokerServer } from '../support/brokers/broker-server.ts';
import type { BrokerHarness } from './broker-harness.ts';
import type { BrokerStage } from './broker-stage.ts';
import { anEvent, codesOf, kindsOf, payloadOf, someEvents } from './events.ts';

export function describeRefusals<Server extends BrokerServer>(
  { abilities: { longestPayload } }: BrokerHarness<Server>,
  stage: () => BrokerStage<Server>,
): void {
  describe.runIf(longestPayload !== undefined)('refusing', () => {
    /** One byte more than the server takes. */
    function tooLong(given: Parameters<typeof anEvent>[0] = {}) {
      const event = anEvent(given);
      return { ...event, payload: payloadOf((longestPayload?.(event) ?? 0) + 1) };
    }

    it('refuses an event that is too large, and publishes the others of the batch', async () => {
      const broker = await stage().open();
      const [before, after] = [someEvents(20), someEvents(20)];
      const results = await stage().publish(broker, [...before, tooLong(), ...after]);
      expect(kindsOf(results)).toEqual([
        ...before.map(() => 'ok'),
        'refused',
        ...after.map(() => 'ok'),
      ]);
      const found = await stage().found([...before, ...after]);
      expect(new Set(found.map(({ attributes }) => attributes['event_id'])).size).toBe(40);
    });

    it('passes over it in the order of its key', async () => {
      const broker = await stage().open();
      const { aggregateId } = anEvent();
      const [first, last] = someEvents(2, { aggregateId });
      const events = [first ?? anEvent(), tooLong({ aggregateId }), last ?? anEvent()];
      expect(kindsOf(await stage().publish(broker, events))).toEqual(['ok', 'refused', 'ok']);
      const found = await stage().found(events);
      expect(found.map(({ attributes }) => attributes['event_id'])).toEqual([
        first?.eventId,
        last?.eventId,
      ]);
    });

    it('refuses it each time, and goes on', async () => {
      const broker = await stage().open();
      const refusable = tooLong();
      expect(kindsOf(await stage().publish(broker, [refusable]))).toEqual(['refused']);
      expect(kindsOf(await stage().publish(broker, [refusable]))).toEqual(['refused']);
      expect(codesOf(await stage().publish(broker, someEvents(3)))).toEqual(['ok', 'ok', 'ok']);
      expect(await stage().found([refusable])).toEqual([]);
    });
  });
}
