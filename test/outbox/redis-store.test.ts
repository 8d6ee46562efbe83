import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { processOnce } from '../../src/outbox/idempotency/process-once.ts';
import { openRedisStore } from '../../src/outbox/idempotency/redis.ts';
import type { EventKey, IdempotencyStore } from '../../src/outbox/idempotency/store.ts';
import { missingProgram } from '../support/brokers/debian-package.ts';
import {
  type RedisServer,
  type RedisServerOptions,
  startRedisServer,
} from '../support/brokers/redis-server.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { startTcpProxy } from '../support/http/tcp-proxy.ts';
import { conformsToIdempotencyStore } from './idempotency-conformance.ts';
import { holderOf, newEvent, type StoreHarness } from './idempotency-harness.ts';

const missing = missingProgram('redis-server', 'redis-server');
/** For a server that answers: a busy machine must not look like one that is away. */
const patientMs = 30_000;
const week = 168 * 3600;

let server: RedisServer;
let redis: Redis;
let store: IdempotencyStore;
let event: EventKey;
const undo = useUndo();

beforeAll(async () => {
  if (missing !== undefined) return;
  server = await startRedisServer();
  redis = new Redis(server.url);
  store = await openRedisStore({ url: server.url, timeoutMs: patientMs });
});

beforeEach(() => {
  event = newEvent();
});

afterAll(async () => {
  if (missing !== undefined) return;
  await store.close();
  redis.disconnect();
  await server.close();
});

const keyOf = ({ consumer, eventId }: EventKey): string =>
  `pf:evt:processed:${consumer}:${eventId}`;

const harness: StoreHarness = {
  // Redis has one clock for all: what is left of a key is shortened instead.
  open: () => ({
    store,
    async pass(key, ms) {
      const left = await redis.pttl(keyOf(key));
      if (left > 0) await redis.pexpire(keyOf(key), Math.max(0, left - ms));
    },
  }),
  async openWired() {
    const wire = await startTcpProxy(server.url);
    const wired = await openRedisStore({ url: wire.url, timeoutMs: 2000 });
    return {
      store: wired,
      wire,
      async close() {
        await wired.close();
        wire.close();
      },
    };
  },
};

/** A server and a store for one test. */
async function startOwn(options: RedisServerOptions): Promise<{
  server: RedisServer;
  store: IdempotencyStore;
}> {
  const own = await startRedisServer(options);
  undo.push(() => own.close());
  const ownStore = await openRedisStore({ url: own.url, timeoutMs: patientMs });
  undo.push(() => ownStore.close());
  return { server: own, store: ownStore };
}

describe.skipIf(missing !== undefined)('the store in Redis', () => {
  conformsToIdempotencyStore(() => harness);

  it('marks an event by the key and the time to live that others know', async () => {
    const other = newEvent('ledger');
    await store.checkAndMarkProcessed(event.consumer, event.eventId);
    await processOnce(store, other, () => undefined);
    for (const key of [event, other]) {
      const left = await redis.ttl(keyOf(key));
      expect(left).toBeLessThanOrEqual(week);
      expect(left).toBeGreaterThan(week - 60); // it runs
    }
  });

  it('understands a mark that somebody else has set', async () => {
    await redis.set(keyOf(event), '1', 'EX', week, 'NX');
    expect(await processOnce(store, event, () => expect.unreachable())).toBe('duplicate');
    expect(await store.checkAndMarkProcessed(event.consumer, event.eventId)).toBe(true);
  });

  it('is understood by somebody else, who sets a mark while the event is processed or after', async () => {
    const set = (): Promise<string | null> => redis.set(keyOf(event), '1', 'EX', 60, 'NX');
    await store.claim(holderOf(event), 30_000);
    expect(await set()).toBeNull();
    await redis.del(keyOf(event));
    await processOnce(store, event, () => undefined);
    expect(await set()).toBeNull();
  });

  it('remembers over a restart if the server does, and forgets if it does not', async () => {
    for (const durable of [true, false]) {
      const own = await startOwn({ durable });
      await processOnce(own.store, event, () => undefined);
      await own.server.stop();
      await own.server.start();
      const again = await vi.waitFor(() => processOnce(own.store, event, () => undefined), 30_000);
      expect(again).toBe(durable ? 'duplicate' : 'processed');
    }
  });

  it('can be opened before its server is there', async () => {
    const own = await startOwn({});
    await own.server.stop();
    // Time enough to be refused once.
    const early = await openRedisStore({ url: own.server.url, timeoutMs: 3000 });
    undo.push(() => early.close());
    const claim = early.claim(holderOf(event), 30_000);
    await expect(claim).rejects.toMatchObject({
      code: 'store_away',
      message: 'the idempotency store in Redis cannot be reached (ECONNREFUSED)',
    });
    await own.server.start();
    expect(await vi.waitFor(() => processOnce(early, event, () => undefined), 30_000)).toBe(
      'processed',
    );
  });

  it('says when Redis does not do what it is asked', async () => {
    const own = await startOwn({});
    await own.store.checkAndMarkProcessed(event.consumer, event.eventId);
    const admin = new Redis(own.server.url);
    undo.push(async () => admin.disconnect());
    await admin.replicaof('127.0.0.1', 1);
    await expect(processOnce(own.store, newEvent(), () => expect.unreachable())).rejects.toThrow(
      'Redis does not do what it is asked now (READONLY)',
    );
    await admin.replicaof('NO', 'ONE');
    const again = () => processOnce(own.store, newEvent(), () => undefined);
    expect(await vi.waitFor(again, 30_000)).toBe('processed');
  });

  it('says that the password is wrong, and not what it is', async () => {
    const own = await startOwn({ password: 'c4nary' });
    expect(await processOnce(own.store, event, () => undefined)).toBe('processed');
    for (const address of [
      own.server.url.replace('c4nary', 'c4n4ry'),
      own.server.url.replace(/:c4nary@/, ''),
    ]) {
      const stranger = await openRedisStore({ url: address, timeoutMs: 3000 });
      undo.push(() => stranger.close());
      const error: unknown = await processOnce(stranger, event, () => undefined).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({
        code: 'configuration',
        message: expect.stringMatching(/^Redis refuses us \((NOAUTH|WRONGPASS)\)$/),
      });
      expect(JSON.stringify(error) + String(error)).not.toContain('c4n');
    }
  });

  it('takes many calls at once before it is connected, without a warning', async () => {
    const warned: string[] = [];
    const listen = (warning: Error): void => void warned.push(warning.name);
    process.on('warning', listen);
    undo.push(async () => process.off('warning', listen));
    const own = await openRedisStore({ url: server.url, timeoutMs: patientMs });
    undo.push(() => own.close());
    const outcomes = Array.from({ length: 64 }, () =>
      processOnce(own, newEvent(), () => undefined),
    );
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['processed']));
    await pause(0); // warnings come a turn later
    expect(warned).toEqual([]);
  });

  it('refuses calls once it is closed', async () => {
    const own = await openRedisStore({ url: server.url });
    await own.close();
    const claim = own.claim(holderOf(event), 30_000);
    await expect(claim).rejects.toMatchObject({ code: 'store_away' });
  });
});

describe('an address that is none', () => {
  it.each(['localhost:6379', 'http://127.0.0.1:6379', 'redis://a:secret@b:x'])(
    'is named and not quoted: %s',
    async (url) => {
      const opening = openRedisStore({ url });
      await expect(opening).rejects.toMatchObject({ code: 'configuration' });
      await expect(opening).rejects.not.toThrow(/secret|6379/);
    },
  );
});
