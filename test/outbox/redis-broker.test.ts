import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { missingProgram } from '../support/brokers/debian-package.ts';
import {
  type RedisServer,
  redisMaxBytes,
  redisPassword,
  redisStream,
  startRedis,
} from '../support/brokers/redis.ts';
import type { BrokerHarness } from './broker-harness.ts';
import { describeBroker } from './conformance.ts';
import { anEvent, codesOf, someEvents } from './events.ts';

const harness: BrokerHarness<RedisServer> = {
  title: 'Redis Streams',
  missing: missingProgram('redis-server', 'redis-server'),
  start: startRedis,
  abilities: {
    hasServer: true,
    longestPayload: () => redisMaxBytes,
    knowsRepeats: false,
    password: redisPassword,
  },
};

describeBroker(harness, (stage) => {
  /** On the same server, as somebody else or with another stream. */
  function addressOf(stream: string, login = `:${redisPassword}`): string {
    return `redis://${login}@127.0.0.1:${stage().server.port}/3/${stream}`;
  }

  async function withRedis<T>(work: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = stage().server.connect();
    try {
      return await work(redis);
    } finally {
      redis.disconnect();
    }
  }

  it('keeps about as many entries as it is told to', async () => {
    const broker = await stage().open({ address: addressOf('short?max_length=100') });
    await stage().publish(broker, someEvents(1000));
    const length = await withRedis((redis) => redis.xlen('short'));
    expect(length).toBeGreaterThanOrEqual(100);
    expect(length).toBeLessThanOrEqual(200);
  });

  it('says which entry an event has become', async () => {
    const broker = await stage().open();
    const [result] = await stage().publish(broker, [anEvent()]);
    const last = await withRedis((redis) => redis.xrevrange(redisStream, '+', '-', 'COUNT', 1));
    expect(result).toEqual({ ok: true, brokerId: last[0]?.[0] });
  });

  it('is unavailable when the key is something else than a stream', async () => {
    await withRedis((redis) => redis.set('a-string', 'x'));
    const broker = await stage().open({ address: addressOf('a-string') });
    expect(await stage().check(broker)).toMatchObject({ fault: { code: 'wrong_type' } });
    expect(codesOf(await stage().publish(broker, someEvents(1)))).toEqual(['wrong_type']);
  });

  it('is unavailable while Redis has no memory left, and then for the rest of the key', async () => {
    const broker = await stage().open();
    await stage().check(broker);
    await withRedis((redis) => redis.config('SET', 'maxmemory', '1'));
    const events = someEvents(2, { aggregateId: randomUUID() });
    const results = await stage().publish(broker, events);
    await withRedis((redis) => redis.config('SET', 'maxmemory', '0'));
    expect(codesOf(results)).toEqual(['out_of_memory', 'earlier_event_waits']);
    expect(codesOf(await stage().publish(broker, events))).toEqual(['ok', 'ok']);
  });

  it('is unavailable on a replica', async () => {
    const broker = await stage().open();
    await stage().check(broker);
    await withRedis((redis) => redis.replicaof('127.0.0.1', 1));
    const results = await stage().publish(broker, someEvents(1));
    await withRedis((redis) => redis.replicaof('NO', 'ONE'));
    expect(codesOf(results)).toEqual(['read_only']);
  });

  it('needs no right but to look at the stream and to add to it', async () => {
    const rights = ['on', '>publishing', '~pf-*', '+xadd', '+type', '+info', '+select', '+client'];
    await withRedis((redis) => redis.call('ACL', 'SETUSER', 'publisher', ...rights));
    const broker = await stage().open({ address: addressOf('pf-other', 'publisher:publishing') });
    expect(await stage().check(broker)).toEqual({ ok: true });
    expect(codesOf(await stage().publish(broker, someEvents(3)))).toEqual(['ok', 'ok', 'ok']);
    const elsewhere = await stage().open({ address: addressOf('other', 'publisher:publishing') });
    expect(codesOf(await stage().publish(elsewhere, someEvents(1)))).toEqual(['not_allowed']);
  });

  it('says when a password is wanted', async () => {
    const broker = await stage().open({ address: addressOf('pf-events', '') });
    expect(await stage().check(broker)).toMatchObject({ fault: { code: 'not_allowed' } });
  });
});
