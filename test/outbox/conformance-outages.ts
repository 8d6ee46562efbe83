// A server that is away, or does not speak. Nothing throws, nothing waits for ever, and the same broker
// goes on when the server is back.

import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BrokerServer } from '../support/brokers/broker-server.ts';
import { accepts } from '../support/brokers/daemon.ts';
import { freePort } from '../support/http/free-port.ts';
import type { BrokerAbilities, BrokerHarness } from './broker-harness.ts';
import { type BrokerStage, silence } from './broker-stage.ts';
import { codesOf, kindsOf, someEvents } from './events.ts';

/** Nothing is waited for that comes: what is to fail may fail soon. */
const briefMs = 1500;
const away = { ok: false, fault: { kind: 'unavailable' } };
const late = { ok: false, fault: { kind: 'unavailable', code: 'timeout' } };

export function describeOutages<Server extends BrokerServer>(
  { abilities }: BrokerHarness<Server>,
  stage: () => BrokerStage<Server>,
): void {
  describeSilence(stage, abilities);

  describe('a server that is away', () => {
    it('is unavailable where nothing listens', async () => {
      const address = stage().server.address(await freePort());
      const broker = await stage().open({ address, timeoutMs: briefMs });
      expect(await stage().check(broker)).toMatchObject(away);
      expect(await stage().publish(broker, someEvents(2))).toMatchObject([away, away]);
      await broker.close();
    });

    it('is unavailable at once where connections are closed without a word', async () => {
      const door = net.createServer((socket) => socket.destroy());
      door.listen(0, '127.0.0.1');
      await once(door, 'listening');
      const { port } = z.object({ port: z.number() }).parse(door.address());
      const broker = await stage().open({ address: stage().server.address(port) });
      expect(await stage().check(broker)).toMatchObject(away);
      const codes = codesOf(await stage().publish(broker, someEvents(2)));
      door.close();
      expect(codes).not.toContain('ok');
      expect(codes).not.toContain('timeout');
    });

    it('goes on after its connections were cut', async () => {
      const wire = await stage().wire();
      const broker = await stage().open({ wire });
      expect(codesOf(await stage().publish(broker, someEvents(3)))).toEqual(['ok', 'ok', 'ok']);
      wire.cut();
      const events = someEvents(3);
      await expect
        .poll(async () => kindsOf(await stage().publish(broker, events)), { timeout: 30_000 })
        .toEqual(['ok', 'ok', 'ok']);
      expect((await stage().found(events)).length).toBeGreaterThanOrEqual(3);
    });

    it('is unavailable while the server is stopped, and goes on when it is back', async () => {
      const broker = await stage().open({ timeoutMs: 5000 });
      const events = someEvents(5);
      expect(codesOf(await stage().publish(broker, someEvents(1)))).toEqual(['ok']);
      await stage().server.stop();
      try {
        // A process that another test starts at this moment has the socket too, until it runs its own program.
        await expect.poll(() => accepts(stage().server.port)).toBe(false);
        expect(await stage().check(broker)).toMatchObject(away);
        expect(await stage().publish(broker, events)).toMatchObject(events.map(() => away));
      } finally {
        await stage().server.start();
      }
      await expect
        .poll(async () => stage().check(broker), { timeout: 30_000 })
        .toEqual({ ok: true });
      expect(kindsOf(await stage().publish(broker, events))).toEqual(events.map(() => 'ok'));
      expect(await stage().found(events)).toHaveLength(events.length);
    });

    it.runIf(abilities.password !== undefined)(
      'does not quote a password that is wrong',
      async () => {
        const wrong = 'wr0ng-password-of-the-suite';
        const address = stage()
          .server.address()
          .replace(abilities.password ?? '', wrong);
        const broker = await stage().open({ address });
        const checked = await stage().check(broker);
        const results = await stage().publish(broker, someEvents(2));
        expect(kindsOf(results)).not.toContain('ok');
        expect(JSON.stringify([checked, results])).not.toContain(wrong);
      },
    );
  });
}

function describeSilence<Server extends BrokerServer>(
  stage: () => BrokerStage<Server>,
  { leavesSilentConnections = false }: BrokerAbilities,
): void {
  describe('a server that falls silent', () => {
    it('is unavailable in time if it says nothing from the start', async () => {
      const wire = await stage().wire();
      await wire.greet('left');
      const broker = await stage().open({ wire, timeoutMs: briefMs });
      expect(await stage().check(broker)).toMatchObject(late);
      expect(await stage().publish(broker, someEvents(2))).toMatchObject([late, late]);
    });

    it.runIf(!leavesSilentConnections)('leaves no connection that was never answered', async () => {
      const wire = await stage().wire();
      await wire.greet('left');
      const broker = await stage().open({ wire, timeoutMs: briefMs });
      expect(await stage().check(broker)).toMatchObject(late);
      await expect.poll(() => wire.open(), { timeout: 30_000 }).toBe(0);
      expect(wire.made()).toBeGreaterThan(0);
    });

    it('is unavailable in time if it falls silent later, and goes on over a new connection', async () => {
      const wire = await stage().wire();
      const broker = await stage().open({ wire, timeoutMs: briefMs });
      await expect
        .poll(async () => kindsOf(await stage().publish(broker, someEvents(1))))
        .toEqual(['ok']);
      await silence(wire);
      const events = someEvents(3);
      expect(await stage().publish(broker, events)).toMatchObject([away, away, away]);
      await wire.greet('served');
      await expect
        .poll(async () => kindsOf(await stage().publish(broker, events)), { timeout: 30_000 })
        .toEqual(['ok', 'ok', 'ok']);
    });

    it('fails a check in time if it falls silent later', async () => {
      const wire = await stage().wire();
      const broker = await stage().open({ wire, timeoutMs: briefMs });
      await expect.poll(async () => stage().check(broker)).toEqual({ ok: true });
      await silence(wire);
      expect(await stage().check(broker)).toMatchObject(away);
      await wire.greet('served');
      await expect
        .poll(async () => stage().check(broker), { timeout: 30_000 })
        .toEqual({ ok: true });
    });
  });
}
