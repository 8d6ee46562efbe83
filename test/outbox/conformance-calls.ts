// How a call ends other than by an answer: it is given up, or the broker is closed.

import { describe, expect, it } from 'vitest';
import type { BrokerServer } from '../support/brokers/broker-server.ts';
import type { BrokerHarness } from './broker-harness.ts';
import { type BrokerStage, silence } from './broker-stage.ts';
import { codesOf, someEvents } from './events.ts';

export function describeCalls<Server extends BrokerServer>(
  { abilities }: BrokerHarness<Server>,
  stage: () => BrokerStage<Server>,
): void {
  describe('a call that is given up', () => {
    it('publishes nothing if it was given up before', async () => {
      const broker = await stage().open();
      const events = someEvents(3);
      const results = await broker.publish(events, AbortSignal.abort());
      expect(codesOf(results)).toEqual(['aborted', 'aborted', 'aborted']);
      expect(await stage().found(events)).toEqual([]);
      expect(codesOf(await stage().publish(broker, events))).toEqual(['ok', 'ok', 'ok']);
    });

    it.runIf(abilities.hasServer)('ends at once, and the next goes on', async () => {
      const wire = await stage().wire();
      const broker = await stage().open({ wire });
      expect(codesOf(await stage().publish(broker, someEvents(1)))).toEqual(['ok']);
      const isUnderWay = await silence(wire);
      const stop = new AbortController();
      const publishing = broker.publish(someEvents(2), stop.signal);
      await expect.poll(isUnderWay).toBe(true);
      stop.abort();
      expect(codesOf(await publishing)).toEqual(['aborted', 'aborted']);
      await wire.greet('served');
      expect(codesOf(await stage().publish(broker, someEvents(2)))).toEqual(['ok', 'ok']);
    });

    it.runIf(abilities.hasServer)('ends a check at once', async () => {
      const wire = await stage().wire();
      await wire.greet('left');
      const broker = await stage().open({ wire });
      const stop = new AbortController();
      const checking = broker.check(stop.signal);
      await expect.poll(() => wire.made()).toBeGreaterThan(0);
      stop.abort();
      expect(await checking).toMatchObject({ ok: false, fault: { code: 'aborted' } });
    });
  });

  describe('a broker that is closed', () => {
    it('is closed once, however often it is asked to', async () => {
      const broker = await stage().open();
      await stage().publish(broker, someEvents(1));
      const closing = Promise.all([broker.close(), broker.close()]);
      expect(await closing).toEqual([undefined, undefined]);
      expect(await broker.close()).toBeUndefined();
    });

    it('is unavailable afterwards', async () => {
      const broker = await stage().open();
      await broker.close();
      expect(codesOf(await stage().publish(broker, someEvents(2)))).toEqual(['closed', 'closed']);
      expect(await stage().check(broker)).toMatchObject({ ok: false, fault: { code: 'closed' } });
    });

    it.runIf(abilities.hasServer)('ends what is under way, and its connections', async () => {
      const wire = await stage().wire();
      const broker = await stage().open({ wire });
      expect(codesOf(await stage().publish(broker, someEvents(1)))).toEqual(['ok']);
      const isUnderWay = await silence(wire);
      const publishing = stage().publish(broker, someEvents(2));
      await expect.poll(isUnderWay).toBe(true);
      await broker.close();
      expect(codesOf(await publishing)).toEqual(['closed', 'closed']);
    });
  });
}
