import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { attributesOf } from '../../src/outbox/broker.ts';
import { missingProgram } from '../support/brokers/debian-package.ts';
import { type NatsServer, natsPassword, startNats } from '../support/brokers/nats.ts';
import { freePort } from '../support/http/free-port.ts';
import type { BrokerHarness } from './broker-harness.ts';
import { describeBroker } from './conformance.ts';
import { anEvent, codesOf, kindsOf, payloadOf, someEvents } from './events.ts';

/** Of the server, for headers and body together. */
const maxPayload = 1024 * 1024;

const harness: BrokerHarness<NatsServer> = {
  title: 'NATS JetStream',
  missing: missingProgram('nats-server', 'nats-server'),
  start: startNats,
  abilities: {
    hasServer: true,
    longestPayload(event) {
      const headers = { ...attributesOf(event), 'Nats-Msg-Id': event.eventId };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      return maxPayload - `NATS/1.0\r\n${lines.join('')}\r\n`.length;
    },
    knowsRepeats: true,
    keyOf: ({ eventType }) => `pf.${eventType}`,
    password: natsPassword,
  },
};

describeBroker(harness, (stage) => {
  /** The same server, with other subjects. */
  function addressOf(prefix: string, parameters = ''): string {
    return stage().server.address().replace(/\/pf$/, `/${prefix}${parameters}`);
  }

  async function withStreams<T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> {
    const connection = await stage().server.connect();
    try {
      return await work(await jetstreamManager(connection));
    } finally {
      await connection.close();
    }
  }

  describe('streams', () => {
    it('is unavailable without a stream for the subjects, and says so', async () => {
      const broker = await stage().open({ address: addressOf('nobody') });
      expect(await stage().check(broker)).toMatchObject({ fault: { code: 'no_stream' } });
      const results = await stage().publish(broker, someEvents(2));
      expect(codesOf(results)).toEqual(['no_stream', 'no_stream']);
      expect(kindsOf(results)).toEqual(['unavailable', 'unavailable']);
    });

    it('goes on when the stream is made', async () => {
      const broker = await stage().open({ address: addressOf('later') });
      expect(codesOf(await stage().publish(broker, someEvents(1)))).toEqual(['no_stream']);
      await withStreams(({ streams }) => streams.add({ name: 'later', subjects: ['later.>'] }));
      expect(await stage().check(broker)).toEqual({ ok: true });
      expect(codesOf(await stage().publish(broker, someEvents(1)))).toEqual(['ok']);
    });

    it('makes the stream when it is told to', async () => {
      const broker = await stage().open({ address: addressOf('shop.events', '?create=true') });
      expect(await stage().check(broker)).toEqual({ ok: true });
      expect(await stage().publish(broker, someEvents(1))).toEqual([
        { ok: true, brokerId: 'shop_events:1', isRepeat: false },
      ]);
      const { config } = await withStreams(({ streams }) => streams.info('shop_events'));
      expect(config).toMatchObject({ subjects: ['shop.events.>'], storage: 'file' });
    });

    it('leaves a stream that is there as it is', async () => {
      const subjects = ['kept.order_created', 'kept.more'];
      await withStreams(({ streams }) => streams.add({ name: 'kept', subjects }));
      const broker = await stage().open({ address: addressOf('kept', '?create=true') });
      expect(codesOf(await stage().publish(broker, someEvents(1)))).toEqual(['ok']);
      const { config } = await withStreams(({ streams }) => streams.info('kept'));
      expect(config.subjects).toEqual(subjects);
    });

    it('looks for the stream that it is told', async () => {
      const broker = await stage().open({ address: addressOf('pf', '?stream=another') });
      expect(await stage().check(broker)).toMatchObject({ fault: { code: 'no_stream' } });
    });

    it('refuses what is larger than the stream takes', async () => {
      await withStreams(({ streams }) =>
        streams.add({ name: 'narrow', subjects: ['narrow.>'], max_msg_size: 1000 }),
      );
      const broker = await stage().open({ address: addressOf('narrow') });
      const events = [anEvent(), anEvent({ payload: payloadOf(1001) }), anEvent()];
      const results = await stage().publish(broker, events);
      expect(codesOf(results)).toEqual(['ok', 'too_large', 'ok']);
      expect(kindsOf(results)).toEqual(['ok', 'refused', 'ok']);
    });

    it('is unavailable when the stream is full, and then for the rest of the key', async () => {
      await withStreams(({ streams }) =>
        streams.add({ name: 'full', subjects: ['full.>'], max_msgs: 2, discard: 'new' }),
      );
      const broker = await stage().open({ address: addressOf('full') });
      const events = someEvents(4, { aggregateId: randomUUID() });
      expect(codesOf(await stage().publish(broker, events))).toEqual([
        'ok',
        'ok',
        'jetstream_10077',
        'earlier_event_waits',
      ]);
    });
  });

  it('refuses an event type that is no subject', async () => {
    const broker = await stage().open();
    const types = ['order.created', 'order created', '*', '>', 'order_created'];
    const events = types.map((eventType) => anEvent({ eventType }));
    expect(codesOf(await stage().publish(broker, events))).toEqual([
      ...Array.from({ length: 4 }, () => 'invalid'),
      'ok',
    ]);
  });

  it('tries every server of the address', async () => {
    const dead = `127.0.0.1:${await freePort()},`;
    const broker = await stage().open({ address: addressOf('pf').replace('@', `@${dead}`) });
    expect(await stage().check(broker)).toEqual({ ok: true });
  });

  it('is unavailable where something else listens', async () => {
    const stranger = net.createServer((socket) => socket.end('220 mail.example.org ESMTP\r\n'));
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = z.object({ port: z.number() }).parse(stranger.address());
    const broker = await stage().open({ address: stage().server.address(port) });
    expect(await stage().check(broker)).toMatchObject({ fault: { code: 'not_nats' } });
    stranger.close();
  });
});
