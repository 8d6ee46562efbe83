import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Broker, OutboxEvent } from '../../src/outbox/broker.ts';
import { createWebhookBroker } from '../../src/outbox/brokers/webhook.ts';
import type { ReadSecret } from '../../src/secrets.ts';
import {
  type ReceivedRequest,
  startWebhookReceiver,
  type WebhookReceiver,
  webhookMaxBytes,
  webhookPassword,
  webhookSecret,
} from '../support/brokers/webhook.ts';
import type { BrokerHarness } from './broker-harness.ts';
import { describeBroker } from './conformance.ts';
import { anEvent, codesOf, kindsOf, someEvents } from './events.ts';

const harness: BrokerHarness<WebhookReceiver> = {
  title: 'of webhooks',
  start: startWebhookReceiver,
  options: { readSigningSecret: async () => ({ ok: true, secret: webhookSecret }) },
  abilities: {
    hasServer: true,
    longestPayload: () => webhookMaxBytes,
    knowsRepeats: false,
    password: webhookPassword,
  },
};

describeBroker(harness, (stage) => {
  /** The requests that have come for these events. */
  function requestsFor(events: readonly OutboxEvent[]): ReceivedRequest[] {
    const ids = new Set<unknown>(events.map(({ eventId }) => eventId));
    return stage().server.requests.filter(({ headers }) => ids.has(headers['webhook-id']));
  }

  /** An event of a type of its own, and what the receiver answers to it. */
  function answered(
    statusCode: number,
    headers: Readonly<Record<string, string>> = {},
  ): OutboxEvent {
    const event = anEvent({ eventType: `type_${randomUUID()}` });
    stage().server.answer(event.eventType, statusCode, headers);
    return event;
  }

  describe('requests', () => {
    it('posts to the whole address, and leaves the password out of it', async () => {
      const event = anEvent();
      await stage().publish(await stage().open(), [event]);
      const [request] = requestsFor([event]);
      expect(request).toMatchObject({ method: 'POST', path: '/events?from=outrider' });
      expect(request?.headers).toMatchObject({
        'content-type': 'application/json',
        host: `127.0.0.1:${stage().server.port}`,
      });
    });

    it('holds no more requests than it may, and one for each key', async () => {
      const broker = createWebhookBroker({
        url: new URL(stage().server.address()),
        readSecret: async () => ({ ok: true, secret: webhookSecret }),
        concurrency: 3,
        timeoutMs: 30_000,
      });
      const another = await stage().open();
      const many = someEvents(10);
      const ofOneKey = someEvents(5, { aggregateId: randomUUID() });
      for (const [events, most] of [[many, 3] as const, [ofOneKey, 1] as const]) {
        const open = stage().server.hold();
        const publishing = stage().publish(broker, events);
        await expect.poll(() => requestsFor(events).length).toBe(most);
        // Whatever would come too early is there by now: another request has made its way.
        expect(await stage().check(another)).toEqual({ ok: true });
        expect(requestsFor(events)).toHaveLength(most);
        open();
        expect(new Set(codesOf(await publishing))).toEqual(new Set(['ok']));
      }
      await broker.close();
    });

    it('refuses an event that cannot be written as headers', async () => {
      const events = [
        anEvent({ eventType: 'a\r\nb: c' }),
        anEvent({ aggregateId: '中' }),
        anEvent(),
      ];
      const results = await stage().publish(await stage().open(), events);
      expect(codesOf(results)).toEqual(['invalid', 'invalid', 'ok']);
    });
  });

  describe('answers', () => {
    it.each([200, 201, 202, 204])('takes %d for a confirmation', async (statusCode) => {
      const broker = await stage().open();
      expect(await stage().publish(broker, [answered(statusCode)])).toEqual([{ ok: true }]);
    });

    it.each([408, 500, 501, 502, 503, 504, 599])('is unavailable for %d', async (statusCode) => {
      const broker = await stage().open();
      const results = await stage().publish(broker, [answered(statusCode), anEvent()]);
      expect(codesOf(results)).toEqual([`http_${statusCode}`, 'ok']);
      expect(kindsOf(results)).toEqual(['unavailable', 'ok']);
    });

    it.each([400, 401, 403, 404, 409, 410, 413, 422])('is refused by %d', async (statusCode) => {
      const broker = await stage().open();
      const results = await stage().publish(broker, [answered(statusCode), anEvent()]);
      expect(codesOf(results)).toEqual([`http_${statusCode}`, 'ok']);
      expect(kindsOf(results)).toEqual(['refused', 'ok']);
    });

    it.each([301, 302, 303, 307, 308])('follows no redirect (%d)', async (statusCode) => {
      const before = stage().server.requests.length;
      const event = answered(statusCode, { location: '/elsewhere' });
      const results = await stage().publish(await stage().open(), [event]);
      expect(codesOf(results)).toEqual(['redirected']);
      expect(kindsOf(results)).toEqual(['unavailable']);
      expect(stage().server.requests.length).toBe(before + 1);
    });

    it('sends no later event of a key after one that was not taken', async () => {
      const failing = answered(503);
      const later = anEvent({ aggregateId: failing.aggregateId });
      const results = await stage().publish(await stage().open(), [failing, later]);
      expect(codesOf(results)).toEqual(['http_503', 'earlier_event_waits']);
      expect(requestsFor([later])).toEqual([]);
    });
  });

  describe('a receiver that asks for time', () => {
    const start = Date.UTC(2026, 0, 1);

    /** With a clock that stands still. */
    function open(): Broker & { clock: { now: number } } {
      const clock = { now: start };
      const broker = createWebhookBroker({
        url: new URL(stage().server.address()),
        readSecret: async () => ({ ok: true, secret: webhookSecret }),
        timeoutMs: 30_000,
        now: () => new Date(clock.now),
      });
      return { ...broker, clock };
    }

    it.each([
      ['seconds', '7', 7000],
      ['a date', new Date(start + 9000).toUTCString(), 9000],
      ['a date in the past', new Date(start - 9000).toUTCString(), 0],
      ['far too long', '999999', 3_600_000],
      ['nothing that can be read', 'soon', undefined],
    ])('passes on for how long (%s)', async (_what, value, expected) => {
      const broker = open();
      const event = answered(429, { 'retry-after': value });
      const results = await stage().publish(broker, [event]);
      const faults = results.flatMap((result) => (result.ok ? [] : [result.fault]));
      expect(faults).toMatchObject([{ kind: 'unavailable', code: 'throttled' }]);
      expect(faults[0]?.retryAfterMs).toBe(expected);
      await broker.close();
    });

    it('is left alone for so long', async () => {
      const broker = open();
      await stage().publish(broker, [answered(503, { 'retry-after': '10' })]);
      broker.clock.now += 4000;
      const event = answered(200);
      const throttled = { ok: false, fault: { code: 'throttled', retryAfterMs: 6000 } };
      expect(await stage().publish(broker, [event])).toMatchObject([throttled]);
      expect(await stage().check(broker)).toMatchObject(throttled);
      expect(requestsFor([event])).toEqual([]);
      broker.clock.now += 6000;
      expect(await stage().check(broker)).toEqual({ ok: true });
      expect(codesOf(await stage().publish(broker, [event]))).toEqual(['ok']);
      await broker.close();
    });
  });

  describe('the signing secret', () => {
    function open(readSecret: () => Promise<ReadSecret>): Broker {
      const url = new URL(stage().server.address());
      return createWebhookBroker({ url, readSecret, timeoutMs: 30_000 });
    }

    it('is read for each batch', async () => {
      let secret = 'whsec_b3RoZXI=';
      const broker = open(async () => ({ ok: true, secret }));
      expect(codesOf(await stage().publish(broker, [anEvent()]))).toEqual(['http_400']);
      secret = webhookSecret;
      expect(codesOf(await stage().publish(broker, [anEvent()]))).toEqual(['ok']);
      await broker.close();
    });

    it('may be two, while it is changed', async () => {
      const broker = open(async () => ({ ok: true, secret: `whsec_b3RoZXI= ${webhookSecret}` }));
      expect(codesOf(await stage().publish(broker, [anEvent()]))).toEqual(['ok']);
      await broker.close();
    });

    it('is refused before anything is sent where it is malformed', async () => {
      const broker = open(async () => ({ ok: true, secret: 'not base64 !!' }));
      const event = anEvent();
      expect(codesOf(await stage().publish(broker, [event]))).toEqual(['secret_malformed']);
      expect(requestsFor([event])).toEqual([]);
      await broker.close();
    });

    it('is missed before anything is sent', async () => {
      const broker = open(async () => ({ ok: false, reason: 'environment variable X is not set' }));
      const event = anEvent();
      expect(codesOf(await stage().publish(broker, [event]))).toEqual(['secret_missing']);
      expect(await stage().check(broker)).toMatchObject({ fault: { code: 'secret_missing' } });
      expect(requestsFor([event])).toEqual([]);
      await broker.close();
    });
  });

  it('is not ready while a proxy says that the receiver is away', async () => {
    const proxy = http.createServer((_request, response) => response.writeHead(502).end());
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = z.object({ port: z.number() }).parse(proxy.address());
    const broker = await stage().open({ address: stage().server.address(port) });
    expect(await stage().check(broker)).toMatchObject({ fault: { code: 'http_502' } });
    proxy.close();
  });
});
