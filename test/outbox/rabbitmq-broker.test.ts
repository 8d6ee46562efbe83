import { randomUUID } from 'node:crypto';
import type { Channel } from 'amqplib';
import { expect, it } from 'vitest';
import { missingProgram } from '../support/brokers/debian-package.ts';
import {
  type RabbitServer,
  rabbitExchange,
  rabbitMaxBytes,
  rabbitPassword,
  startRabbit,
} from '../support/brokers/rabbitmq.ts';
import type { BrokerHarness } from './broker-harness.ts';
import { describeBroker } from './conformance.ts';
import { anEvent, codesOf, kindsOf, payloadOf, someEvents } from './events.ts';

const harness: BrokerHarness<RabbitServer> = {
  title: 'RabbitMQ',
  missing: missingProgram('rabbitmq-server', 'rabbitmq-server'),
  start: startRabbit,
  abilities: {
    hasServer: true,
    longestPayload: () => rabbitMaxBytes,
    knowsRepeats: false,
    keyOf: ({ eventType }) => eventType,
    password: rabbitPassword,
  },
};

describeBroker(harness, (stage) => {
  /** Another exchange on the same server, or another virtual host. */
  function addressOf(path: string): string {
    return stage()
      .server.address()
      .replace(/[^/]*$/, path);
  }

  async function withChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    const connection = await stage().server.connect();
    try {
      return await work(await connection.createChannel());
    } finally {
      await connection.close();
    }
  }

  it('refuses an event that no queue takes, and publishes the others', async () => {
    await withChannel(async (channel) => {
      await channel.assertExchange('partly', 'topic', { durable: true });
      await channel.assertQueue('orders', { durable: true });
      await channel.bindQueue('orders', 'partly', 'order_*');
      await channel.bindQueue('orders', 'partly', 'order_created');
    });
    const broker = await stage().open({ address: addressOf('partly') });
    const lost = anEvent({ eventType: 'payment_settled' });
    const results = await stage().publish(broker, [anEvent(), lost, anEvent(), lost]);
    expect(codesOf(results)).toEqual(['ok', 'unroutable', 'ok', 'unroutable']);
    expect(kindsOf(results)).toEqual(['ok', 'refused', 'ok', 'refused']);
    expect(results[1]).toMatchObject({ fault: { message: /payment_settled/ } });
  });

  it('marks messages to be kept on disk, with the id and the type of the event', async () => {
    const event = anEvent();
    const message = await withChannel(async (channel) => {
      await channel.assertExchange('marked', 'topic', { durable: true });
      await channel.assertQueue('marked', { durable: true });
      await channel.bindQueue('marked', 'marked', '#');
      const broker = await stage().open({ address: addressOf('marked') });
      await stage().publish(broker, [event]);
      return channel.get('marked', { noAck: true });
    });
    expect(message).toMatchObject({
      properties: {
        deliveryMode: 2,
        messageId: event.eventId,
        type: 'order_created',
        contentType: 'application/json',
      },
    });
  });

  it('is unavailable without its exchange, and says so', async () => {
    const broker = await stage().open({ address: addressOf('nobody') });
    expect(await stage().check(broker)).toMatchObject({ fault: { code: 'no_exchange' } });
    const results = await stage().publish(broker, someEvents(2));
    expect(codesOf(results)).toEqual(['no_exchange', 'no_exchange']);
    expect(kindsOf(results)).toEqual(['unavailable', 'unavailable']);
  });

  it('makes the exchange when it is told to, and it outlives the server', async () => {
    const broker = await stage().open({ address: addressOf('made?create=true') });
    expect(await stage().check(broker)).toEqual({ ok: true });
    await withChannel(async (channel) => {
      // Refused if it were anything else.
      await channel.assertExchange('made', 'topic', { durable: true });
    });
  });

  it('is unavailable when the exchange is of another kind than the one to be made', async () => {
    await withChannel((channel) => channel.assertExchange('fan', 'fanout', { durable: true }));
    const broker = await stage().open({ address: addressOf('fan?create=true') });
    expect(await stage().check(broker)).toMatchObject({ fault: { code: 'wrong_exchange' } });
  });

  it('finds the virtual host in the address', async () => {
    const here = await stage().open({ address: addressOf(`%2F/${rabbitExchange}`) });
    expect(await stage().check(here)).toEqual({ ok: true });
    const elsewhere = await stage().open({ address: addressOf(`elsewhere/${rabbitExchange}`) });
    expect(await stage().check(elsewhere)).toMatchObject({ fault: { code: 'not_allowed' } });
  });

  it('learns only once how large a message may be', async () => {
    const broker = await stage().open();
    const large = anEvent({ payload: payloadOf(rabbitMaxBytes + 1) });
    await stage().publish(broker, [large]);
    const events = someEvents(40);
    const results = await stage().publish(broker, [...events, large]);
    expect(results.at(-1)).toMatchObject({
      fault: { code: 'too_large', message: new RegExp(`\\b${rabbitMaxBytes}\\b`) },
    });
    expect(await stage().found(events)).toHaveLength(40);
  });

  it('is unavailable when a queue rejects the event, and then for the rest of the key', async () => {
    await withChannel(async (channel) => {
      await channel.assertExchange('narrow', 'topic', { durable: true });
      await channel.assertQueue('narrow', {
        durable: true,
        maxLength: 2,
        overflow: 'reject-publish',
      });
      await channel.bindQueue('narrow', 'narrow', '#');
    });
    const broker = await stage().open({ address: addressOf('narrow') });
    const events = someEvents(4, { aggregateId: randomUUID() });
    expect(codesOf(await stage().publish(broker, events))).toEqual([
      'ok',
      'ok',
      'not_stored',
      'earlier_event_waits',
    ]);
  });

  it('is unavailable while RabbitMQ is short of memory, and goes on after that', async () => {
    const broker = await stage().open();
    await stage().check(broker);
    const limit = (share: string) =>
      stage().server.evaluate(`vm_memory_monitor:set_vm_memory_high_watermark(${share}).`);
    await limit('0.000001');
    try {
      await expect
        .poll(async () => codesOf(await stage().publish(broker, someEvents(1))), {
          timeout: 20_000,
        })
        .toEqual(['blocked']);
      expect(await stage().check(broker)).toMatchObject({ fault: { code: 'blocked' } });
    } finally {
      await limit('0.6');
    }
    await expect.poll(() => stage().check(broker), { timeout: 30_000 }).toEqual({ ok: true });
    expect(codesOf(await stage().publish(broker, someEvents(2)))).toEqual(['ok', 'ok']);
  });

  it('refuses an event type that is too long for a routing key', async () => {
    const broker = await stage().open();
    const events = [
      anEvent({ eventType: 'x'.repeat(256) }),
      anEvent({ eventType: 'x'.repeat(255) }),
    ];
    expect(codesOf(await stage().publish(broker, events))).toEqual(['invalid', 'ok']);
  });
});
