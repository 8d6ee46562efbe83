import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/log.ts';
import { openBroker } from '../../src/outbox/brokers/open-broker.ts';
import { missingProgram } from '../support/brokers/debian-package.ts';
import { type RedisServer, redisMaxBytes, startRedis } from '../support/brokers/redis.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { emit, emitMany, publishAll, storedEvent } from '../support/outbox/outbox-events.ts';
import {
  heldBroker,
  type RunningPublisher,
  startPublishing,
} from '../support/outbox/publishing.ts';

const missing = missingProgram('redis-server', 'redis-server');

const database = await useDatabase();
let server: RedisServer;
const undo = useUndo(() => publishAll(database.admin));

beforeAll(async () => {
  if (missing === undefined) server = await startRedis();
});

afterAll(() => server?.close());

async function start(isTold = true): Promise<RunningPublisher> {
  const broker = await openBroker(server.address(), { log: silentLog });
  undo.push(() => broker.close());
  const running = startPublishing({ database, broker, isTold });
  undo.push(() => running.stop());
  return running;
}

function poll<T>(look: () => Promise<T> | T) {
  return expect.poll(look, { timeout: 30_000, interval: 20 });
}

async function toBePublished(ids: readonly string[]): Promise<void> {
  await poll(async () => {
    const events = await Promise.all(ids.map((id) => storedEvent(database.admin, id)));
    return events.filter((event) => event?.published_at === null).length;
  }).toBe(0);
}

const filling = 'x'.repeat(redisMaxBytes);

describe.runIf(missing === undefined)('a broker that is away', () => {
  it('burns no attempts, and everything is published when it is back', async () => {
    const running = await start();
    await toBePublished([await emit(database.service)]);
    await server.stop();
    undo.push(() => server.start());
    await poll(() => running.health().ok).toBe(false);
    expect(running.health()).toMatchObject({
      reason: expect.stringContaining('the broker cannot be reached'),
    });
    const ids = await emitMany(database.service, 20);
    // Woken for each of them, it has looked again.
    await poll(() => running.health().ok).toBe(false);
    for (const id of ids) {
      expect(await storedEvent(database.admin, id)).toMatchObject({
        attempt_count: 0,
        last_error: null,
      });
    }
    undo.pop();
    await server.start();
    await toBePublished(ids);
    for (const id of ids) {
      expect(await storedEvent(database.admin, id)).toMatchObject({ attempt_count: 0 });
    }
    await poll(() => running.health()).toEqual({ ok: true });
    const said = running.lines.map((line) => line.message);
    expect(
      running.lines.filter((line) => line.message.startsWith('publishing has stopped')),
    ).toEqual([
      expect.objectContaining({
        message: 'publishing has stopped; it is tried again by itself until it goes on',
        reason: expect.stringMatching(/^the broker cannot be reached: /),
        broker_at: new URL(server.address()).host,
        next_attempt_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      }),
    ]);
    expect(said.filter((each) => each === 'publishing goes on')).toHaveLength(1);
    const facts = JSON.stringify(running.lines);
    expect(facts).not.toContain('c4nary');
  });

  it('is asked before any event is taken', async () => {
    const held = heldBroker();
    const fault = { kind: 'unavailable', code: 'away', message: 'it is away' } as const;
    let checks = 0;
    const broker = {
      ...held,
      async check() {
        checks += 1;
        return { ok: false, fault } as const;
      },
    };
    await emit(database.service);
    const running = startPublishing({ database, broker, isTold: true });
    undo.push(() => running.stop());
    await poll(() => checks).toBeGreaterThan(2);
    expect(held.calls).toEqual([]);
  });

  it('refuses an event that is too large at each attempt, and takes the others', async () => {
    // emit_event would refuse it; a program that writes into the table itself is not kept from it.
    const id = randomUUID();
    await database.admin.query(
      `insert into outrider.outbox_events (id, event_type, aggregate_type, aggregate_id, payload_json)
       values ($1, 'ad_paused', 'ad', $1, $2)`,
      [id, { version: 1, eventId: id, occurredAt: '2026-01-02T03:04:05Z', data: filling }],
    );
    const others = await emitMany(database.service, 5);
    await start();
    await toBePublished(others);
    await poll(async () => (await storedEvent(database.admin, id))?.attempt_count).toBe(1);
    const { last_error: error, published_at: published } =
      (await storedEvent(database.admin, id)) ?? {};
    expect(error).toMatch(/^refused \(too_large\): the event has \d+ bytes/);
    expect(published).toBeNull();
  });
});

describe('a broker that goes away in the middle', () => {
  it('costs the events of the batch an attempt', async () => {
    const fault = { kind: 'unavailable', code: 'closed', message: 'it is gone' } as const;
    const held = heldBroker();
    let isGone = false;
    const broker = {
      ...held,
      check: async (signal: AbortSignal) =>
        isGone ? ({ ok: false, fault } as const) : held.check(signal),
    };
    const ids = await emitMany(database.service, 2);
    const running = startPublishing({ database, broker });
    undo.push(() => running.stop());
    await poll(() => held.calls.length).toBe(1);
    isGone = true;
    held.release({ ok: false, fault });
    for (const id of ids) {
      await poll(() => storedEvent(database.admin, id)).toMatchObject({
        attempt_count: 1,
        last_error: 'unavailable (closed): it is gone',
      });
    }
    await poll(() => running.health()).toMatchObject({
      ok: false,
      reason: expect.stringContaining('it is gone'),
    });
  });
});

describe('a broker that was there a moment ago', () => {
  it('is not asked for each event', async () => {
    const held = heldBroker();
    held.release({ ok: true }, true);
    let checks = 0;
    const broker = {
      ...held,
      async check() {
        checks += 1;
        return { ok: true } as const;
      },
    };
    const running = startPublishing({ database, broker, isTold: true, pollMs: 60_000 });
    undo.push(() => running.stop());
    const events = 20;
    for (let n = 0; n < events; n += 1) await toBePublished([await emit(database.service)]);
    expect(held.calls).toHaveLength(events);
    expect(checks).toBeLessThan(events / 2);
  });
});
