import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  listOutboxEvents,
  replayOutboxEvents,
  skipOutboxEvents,
  writeEvent,
} from '../../src/db/outbox.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { silentLog } from '../../src/log.ts';
import type { Broker } from '../../src/outbox/broker.ts';
import { openBroker } from '../../src/outbox/brokers/open-broker.ts';
import type { Received } from '../support/brokers/broker-server.ts';
import { type PubSubServer, startPubSub, unfit } from '../support/brokers/pubsub.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import {
  aggregateId,
  anEvent,
  emit,
  emitMany,
  inTransaction,
  publishAll,
  storedEvent,
} from '../support/outbox/outbox-events.ts';
import {
  heldBroker,
  type PublishingOptions,
  type RunningPublisher,
  startPublishing,
} from '../support/outbox/publishing.ts';

const database = await useDatabase();
let server: PubSubServer;
const undo = useUndo(() => publishAll(database.admin));

beforeAll(async () => {
  server = await startPubSub();
});

afterAll(() => server.close());

async function open(): Promise<Broker> {
  const broker = await openBroker(server.address(), { log: silentLog });
  undo.push(() => broker.close());
  return broker;
}

async function start(
  options: Partial<PublishingOptions> & { broker?: Broker } = {},
): Promise<RunningPublisher> {
  const running = startPublishing({
    database,
    broker: options.broker ?? (await open()),
    ...options,
  });
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

async function found(ids: readonly string[]): Promise<Received[]> {
  const all = await server.received();
  return all.filter(({ attributes }) => ids.includes(attributes['event_id'] ?? ''));
}

const idsOf = (received: readonly Received[]) =>
  received.map(({ attributes }) => attributes['event_id']);

/** An event that the broker will never take. */
function emitBad(client: Queryable, aggregate?: string): Promise<string> {
  return writeEvent(client, { ...anEvent(aggregate), data: { note: unfit } });
}

/** Waits until an event has failed so often, and lets its backoff end if it is tried again. */
async function toHaveFailed(id: string, times: number): Promise<void> {
  await poll(async () => (await storedEvent(database.admin, id))?.attempt_count).toBe(times);
  await database.admin.query(
    'update outrider.outbox_backoff set not_before = now() where given_up is null',
  );
}

describe('the publisher', () => {
  it('publishes what was committed, oldest first, and marks it', async () => {
    const aggregate = aggregateId(1);
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.push(await emit(database.service, aggregate));
    const running = await start();
    await toBePublished(ids);
    const received = await found(ids);
    expect(idsOf(received)).toEqual(ids);
    const stored = await storedEvent(database.admin, ids[0] ?? '');
    expect(JSON.parse(received[0]?.body ?? '')).toEqual(stored?.payload);
    expect(received[0]?.attributes).toMatchObject({
      event_id: ids[0],
      event_type: 'ad_activated',
      aggregate_type: 'ad',
      aggregate_id: aggregate,
    });
    expect(stored).toMatchObject({ attempt_count: 0, last_error: null });
    await poll(() => running.health()).toEqual({ ok: true });
  });

  it('says for each event which one it was', async () => {
    const id = await emit(database.service, aggregateId(2));
    const running = await start();
    await toBePublished([id]);
    await poll(() => running.lines.some((line) => line.message === 'published')).toBe(true);
    expect(running.lines.filter((line) => line.message === 'published')).toMatchObject([
      {
        level: 'info',
        event_id: id,
        event_type: 'ad_activated',
        aggregate_type: 'ad',
        aggregate_id: aggregateId(2),
      },
    ]);
  });

  it('publishes nothing of a transaction that was rolled back', async () => {
    await start();
    let lost = '';
    const rolledBack = inTransaction(database.service, async (client) => {
      lost = await emit(client);
      throw new Error('the order was not made');
    });
    await expect(rolledBack).rejects.toThrow('the order was not made');
    const kept = await emit(database.service);
    await toBePublished([kept]);
    expect(idsOf(await found([lost, kept]))).toEqual([kept]);
  });

  it('finds what a long transaction commits after later events were published', async () => {
    await start();
    let early = '';
    let late = '';
    await inTransaction(database.service, async (client) => {
      early = await emit(client);
      late = await emit(database.service);
      await toBePublished([late]);
    });
    await toBePublished([early]);
    expect(idsOf(await found([early, late]))).toEqual([late, early]);
  });

  it('is woken by the commit', async () => {
    await start({ pollMs: 60_000, isTold: true });
    await toBePublished([await emit(database.service)]);
    const ids = await emitMany(database.service, 3);
    await toBePublished(ids);
    expect(idsOf(await found(ids))).toEqual(ids);
  });

  it('gives an event up at once that the broker refuses, until it is replayed', async () => {
    const id = await emitBad(database.service);
    const running = await start({ maxAttempts: 5 });
    await toHaveFailed(id, 1);
    const given = {
      event_id: id,
      attempt_count: 1,
      given_up: 'refused',
      message: 'given up until it is replayed',
    };
    await poll(() => running.lines.filter((line) => line.level === 'warn').at(-1)).toMatchObject(
      given,
    );
    const [listed] = await listOutboxEvents(database.service, { failed: true, limit: 1 });
    expect(listed).toMatchObject({ eventId: id, attemptCount: 1, givenUp: 'refused' });
    expect(listed?.lastError).toMatch(/^refused \(\w+\): /);

    const again = {
      eventIds: null,
      operator: 'ann',
      reason: 'the schema allows it',
      maxAttempts: 5,
    };
    const tried = await replayOutboxEvents(database.service, { ...again, dryRun: true });
    expect(tried).toEqual([{ eventId: id, replayed: true, note: null }]);
    expect(await storedEvent(database.admin, id)).toMatchObject({ attempt_count: 1 });
    await replayOutboxEvents(database.service, { ...again, dryRun: false });
    await toHaveFailed(id, 1);
    expect(await found([id])).toEqual([]);
  });

  it('gives an event up at the limit that the broker cannot take now, and says so', async () => {
    const good = await open();
    const id = await emit(database.service);
    const fault = { kind: 'unavailable', code: 'busy', message: 'the broker is busy' } as const;
    const broker: Broker = {
      ...good,
      publish: async (events) => events.map(() => ({ ok: false, fault })),
    };
    await start({ broker, maxAttempts: 2 });
    await toHaveFailed(id, 1);
    await toHaveFailed(id, 2);
    const [listed] = await listOutboxEvents(database.service, { failed: true, limit: 1 });
    expect(listed).toMatchObject({ eventId: id, attemptCount: 2, givenUp: 'attempts' });
  });

  it('works over an ordinary pool of the application', async () => {
    const options = { connectionString: database.url, options: '-c timezone=Asia/Kolkata' };
    const pool = new pg.Pool({ ...options, max: 3 });
    undo.push(() => pool.end());
    const [first = '', last = ''] = await emitMany(database.service, 2);
    const bad = await emitBad(database.service);
    await start({ pool });
    await toBePublished([first, last]);
    await poll(async () => (await storedEvent(database.admin, bad))?.attempt_count).toBe(1);
    expect(idsOf(await found([first, last]))).toEqual([first, last]);
    const [listed] = await listOutboxEvents(pool, { failed: true, limit: 1 });
    const [exact] = await listOutboxEvents(database.service, { failed: true, limit: 1 });
    expect(listed).toEqual(exact);
  });

  it('asks a broker again that has refused something, before the next batch', async () => {
    const good = await open();
    let isThere = true;
    let checks = 0;
    const broker: Broker = {
      ...good,
      async check() {
        checks += 1;
        const fault = { kind: 'unavailable', code: 'away', message: 'the broker is away' } as const;
        return isThere ? { ok: true } : { ok: false, fault };
      },
      async publish(events, signal) {
        isThere = false; // gone right after this batch
        return good.publish(events, signal);
      },
    };
    await emitBad(database.service);
    const [stored = ''] = await emitMany(database.service, 1);
    await start({ broker, batchSize: 2, pollMs: 60_000, isTold: true });
    await toBePublished([stored]);
    const asked = checks;
    const [waiting = ''] = await emitMany(database.service, 1);
    await poll(() => checks).toBeGreaterThan(asked);
    expect(await storedEvent(database.admin, waiting)).toMatchObject({
      published_at: null,
      attempt_count: 0,
    });
  });

  it('publishes what stands behind events that are refused', async () => {
    const bad = [];
    for (let n = 0; n < 7; n += 1) bad.push(await emitBad(database.service));
    const good = await emitMany(database.service, 10);
    const running = await start({ batchSize: 3 });
    await toBePublished(good);
    const attempts = await Promise.all(bad.map((id) => storedEvent(database.admin, id)));
    expect(attempts.every((event) => (event?.attempt_count ?? 0) >= 1)).toBe(true);
    expect(running.health()).toEqual({ ok: true });
  });

  it('sets events aside, and goes on, when a broker throws', async () => {
    const good = await open();
    const poison = await emit(database.service);
    const broker: Broker = {
      ...good,
      publish(events, signal) {
        if (events.some(({ eventId }) => eventId === poison)) throw new Error('a bug');
        return good.publish(events, signal);
      },
    };
    const others = await emitMany(database.service, 3);
    await start({ broker, batchSize: 2, maxAttempts: 9 });
    await toHaveFailed(poison, 1);
    await toBePublished(others);
    const { last_error: error } = (await storedEvent(database.admin, poison)) ?? {};
    expect(error).toContain('the broker broke inside Outrider');
  });
});

describe('in the order of aggregates', () => {
  it('holds back what stands behind a refused event, and nothing else', async () => {
    const [a, b] = [aggregateId(11), aggregateId(12)];
    const bad = await emitBad(database.service, a);
    const behind = [await emit(database.service, a), await emit(database.service, a)];
    const others = [await emit(database.service, b), await emit(database.service, b)];
    await start({ order: 'aggregate', maxAttempts: 2 });
    await toHaveFailed(bad, 1);
    await toBePublished(others);
    const later = await emit(database.service, b);
    await toBePublished([later]);
    expect(idsOf(await found([...behind, ...others, later]))).toEqual([...others, later]);
    for (const id of behind) {
      expect(await storedEvent(database.admin, id)).toMatchObject({ attempt_count: 0 });
    }
  });

  it('goes on behind an event that an operator passes over', async () => {
    const a = aggregateId(14);
    const bad = await emitBad(database.service, a);
    const behind = [await emit(database.service, a), await emit(database.service, a)];
    await start({ order: 'aggregate', maxAttempts: 5, isTold: true });
    await toHaveFailed(bad, 1);
    const skip = { eventIds: [bad], dryRun: false, operator: 'ann', reason: 'nobody reads it' };
    // Refused for the moment in which a publisher looks at the line.
    await poll(async () => {
      const [answer] = await skipOutboxEvents(database.service, { ...skip, maxAttempts: 5 });
      return answer;
    }).toEqual({ eventId: bad, skipped: true, note: null });
    await toBePublished(behind);
    expect(idsOf(await found([bad, ...behind]))).toEqual(behind);
  });

  it('passes a refused event over where no order is asked for', async () => {
    const a = aggregateId(13);
    const bad = await emitBad(database.service, a);
    const behind = [await emit(database.service, a), await emit(database.service, a)];
    await start();
    await toBePublished(behind);
    expect(idsOf(await found([bad, ...behind]))).toEqual(behind);
  });

  it('keeps each aggregate in order with several publishers', async () => {
    const lines = Array.from({ length: 5 }, (_, n) => aggregateId(20 + n));
    const emitted = new Map<string, string[]>(lines.map((line) => [line, []]));
    const running = [];
    for (let n = 0; n < 3; n += 1) {
      running.push(await start({ order: 'aggregate', batchSize: 4, isTold: true }));
    }
    for (let n = 0; n < 60; n += 1) {
      const line = lines[(n * 7) % lines.length] ?? '';
      emitted.get(line)?.push(await emit(database.service, line));
    }
    await toBePublished([...emitted.values()].flat());
    for (const ids of emitted.values()) expect(idsOf(await found(ids))).toEqual(ids);
  });
});

describe('several publishers', () => {
  it('never have the same event at the same time', async () => {
    const good = await open();
    const inFlight = new Set<string>();
    const seen: string[] = [];
    const clashes: string[] = [];
    const two = Promise.withResolvers<void>();
    let calls = 0;
    const broker: Broker = {
      ...good,
      async publish(events) {
        // The first publisher waits for a second one: by itself it might have everything done before another connects.
        calls += 1;
        if (calls === 2) two.resolve();
        for (const { eventId } of events) {
          if (inFlight.has(eventId)) clashes.push(eventId);
          inFlight.add(eventId);
          seen.push(eventId);
        }
        await two.promise;
        await delay(1); // so that the others have their turn
        for (const { eventId } of events) inFlight.delete(eventId);
        return events.map(() => ({ ok: true }));
      },
    };
    const ids = await emitMany(database.service, 200);
    const running = [];
    for (let n = 0; n < 3; n += 1) running.push(await start({ broker, batchSize: 5 }));
    await toBePublished(ids);
    expect(clashes).toEqual([]);
    expect(seen.toSorted()).toEqual(ids.toSorted());
    const shares = running.map(
      ({ lines }) => lines.filter((l) => l.message === 'published').length,
    );
    expect(shares.filter((count) => count > 0).length).toBeGreaterThan(1);
  });
});

describe('stopping', () => {
  it('finishes the batch under way, and takes no other', async () => {
    const broker = heldBroker();
    const [first = '', second = ''] = await emitMany(database.service, 2);
    const running = await start({ broker, batchSize: 1 });
    await poll(() => broker.calls.length).toBe(1);
    const stopped = running.stop();
    undo.length = 0;
    broker.release();
    await stopped;
    expect((await storedEvent(database.admin, first))?.published_at).not.toBeNull();
    expect(await storedEvent(database.admin, second)).toMatchObject({
      published_at: null,
      attempt_count: 0,
    });
    expect(broker.calls.length).toBe(1);
  });

  it('is not ready while the batch under way is finished', async () => {
    const broker = heldBroker();
    await emit(database.service);
    const running = await start({ broker });
    await poll(() => broker.calls.length).toBe(1);
    const stopped = running.stop();
    undo.length = 0;
    expect(running.health()).toEqual({ ok: false, reason: 'it is stopping' });
    broker.release();
    await stopped;
  });

  it('does not wait for the broker beyond its grace', async () => {
    const broker = heldBroker();
    const id = await emit(database.service);
    const running = await start({ broker, drainMs: 1 });
    await poll(() => broker.calls.length).toBe(1);
    undo.length = 0;
    await running.stop();
    expect(await storedEvent(database.admin, id)).toMatchObject({
      published_at: null,
      attempt_count: 1,
      last_error: 'unavailable (aborted): it was given up',
    });
  });
});

describe('a transaction that is lost', () => {
  const Backend = z.object({ pid: z.number() });
  const waiting = `select pid from pg_stat_activity
     where datname = current_database() and application_name = 'publisher'
       and state = 'idle in transaction'`;

  it('publishes its events again, and says so', async () => {
    const broker = heldBroker();
    const id = await emit(database.service);
    const running = await start({ broker });
    await poll(() => broker.calls.length).toBe(1);
    const [backend] = await queryRows(database.admin, Backend, waiting);
    await database.admin.query('select pg_terminate_backend($1)', [backend?.pid]);
    broker.release({ ok: true }, true);
    await toBePublished([id]);
    expect(broker.calls.flat().map(({ eventId }) => eventId)).toEqual([id, id]);
    const said = running.lines.filter((line) => line.message.startsWith('published, but'));
    expect(said).toMatchObject([{ level: 'warn', event_id: id }]);
    await poll(() => running.health()).toEqual({ ok: true });
  });
});
