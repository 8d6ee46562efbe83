import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  fetchUnpublished,
  markPublished,
  markPublishFailed,
  nextPublishAt,
  outboxStatus,
  type PublishOrder,
} from '../../src/db/outbox.ts';
import { openClient, type Queryable } from '../../src/db/pool.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import {
  asking,
  emit,
  emitMany,
  failEvents,
  giveUp,
  inTransaction,
  publishAll,
  storedEvent,
} from '../support/outbox/outbox-events.ts';

const database = await useDatabase();
const sessions = useSessions();

beforeEach(() => publishAll(database.admin));

async function take(
  client: Queryable,
  { limit, order, now }: { limit?: number; order?: PublishOrder; now?: string } = {},
): Promise<string[]> {
  const events = await fetchUnpublished(client, asking(limit, order), now ?? start);
  return events.map((event) => event.eventId);
}

/** The events that a publisher would get now; they are given back at once. */
const wouldTake = (options?: Parameters<typeof take>[1]): Promise<string[]> =>
  inTransaction(database.service, (client) => take(client, options));

/** When an event is due again after its nth failure, at the latest; jitter decides. */
const latest = (failure: number): string => after(2 ** (failure - 1) * 1.2);
/** A millisecond before it can be due again. */
const tooEarly = (failure: number): string => after(2 ** (failure - 1) * 0.8 - 0.001);

describe('a fetch', () => {
  it('hands over what a broker needs, oldest first', async () => {
    const aggregate = randomUUID();
    const ids = [await emit(database.admin, aggregate), await emit(database.admin, aggregate)];
    const events = await inTransaction(database.service, (client) =>
      fetchUnpublished(client, asking()),
    );
    expect(events.map((event) => event.eventId)).toEqual(ids);
    expect(events[0]).toEqual({
      eventId: ids[0],
      eventType: 'ad_activated',
      aggregateType: 'ad',
      aggregateId: aggregate,
      payload: expect.stringContaining(`"eventId": "${ids[0]}"`),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      attemptCount: 0,
    });
  });

  it.each(['none', 'aggregate'] as const)(
    'hands over as many as are asked for, oldest first: order %s',
    async (order) => {
      const ids = await emitMany(database.admin, 5);
      expect(await wouldTake({ limit: 3, order })).toEqual(ids.slice(0, 3));
      expect(await wouldTake({ limit: 1, order })).toEqual(ids.slice(0, 1));
      expect(await wouldTake({ limit: 1000, order })).toEqual(ids);
    },
  );

  it.each(['none', 'aggregate'] as const)(
    'hands an event to one publisher at a time: order %s',
    async (order) => {
      const ids = await emitMany(database.admin, 4);
      const one = await sessions.open(database.service, { wait: false });
      const two = await sessions.open(database.service, { wait: false });
      expect(await take(one.client, { limit: 2, order })).toEqual(ids.slice(0, 2));
      expect(await take(two.client, { order })).toEqual(ids.slice(2));
      expect(await wouldTake({ order })).toEqual([]);
      await one.rollback();
      expect(await wouldTake({ order })).toEqual(ids.slice(0, 2));
      await markPublished(two.client, ids.slice(2), start);
      await two.commit();
      expect(await wouldTake({ order })).toEqual(ids.slice(0, 2));
    },
  );

  it('gives events back when its connection is lost', async () => {
    const [id] = await emitMany(database.admin, 1);
    const lost = await openClient({ url: database.url, applicationName: 'lost' });
    await lost.query('begin');
    expect(await take(lost)).toEqual([id]);
    await database.admin.query(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'lost' and datname = current_database()",
    );
    expect(await wouldTake()).toEqual([id]);
    await lost.end();
  });

  it('finds an event that is committed after a younger one was published', async () => {
    const late = await sessions.open(database.admin);
    const older = await emit(late.client);
    const [younger] = await emitMany(database.admin, 1);
    expect(await wouldTake()).toEqual([younger]);
    await markPublished(database.admin, [younger ?? '']);
    await late.commit();
    expect(await wouldTake()).toEqual([older]);
  });
});

describe('a published event', () => {
  it('is marked with the time, and is not handed over again', async () => {
    const ids = await emitMany(database.admin, 2);
    expect((await markPublished(database.service, ids, start)).toSorted()).toEqual(ids.toSorted());
    expect(await storedEvent(database.admin, ids[0] ?? '')).toMatchObject({
      published_at: '2026-03-02 10:00:00+00',
      attempt_count: 0,
      last_error: null,
    });
    expect(await wouldTake()).toEqual([]);
  });

  it('is marked once: whoever comes second is told', async () => {
    const [first = '', second = ''] = await emitMany(database.admin, 2);
    await markPublished(database.service, [first], start);
    expect(await markPublished(database.service, [first, second, second], after(1))).toEqual([
      second,
    ]);
    expect(await storedEvent(database.admin, first)).toMatchObject({
      published_at: '2026-03-02 10:00:00+00',
    });
  });

  it('loses the error of a failed attempt, and keeps the count of attempts', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    await failEvents(database.service, [id]);
    await markPublished(database.service, [id], after(5));
    expect(await storedEvent(database.admin, id)).toMatchObject({
      attempt_count: 1,
      last_error: null,
    });
    expect(await nextPublishAt(database.service, 3, start)).toBeNull();
  });
});

describe('an event that fails', () => {
  it('is tried again after a second, two, four … give or take a fifth, ten minutes at most', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      const failures = [{ eventId: id, error: 'no' }];
      const [failed] = await markPublishFailed(database.service, failures, 100, start);
      expect(failed).toMatchObject({
        eventId: id,
        became: 'waiting',
        attemptCount: attempt,
        note: null,
      });
      waits.push(
        (Date.parse(`${failed?.nextAttemptAt?.replace(' ', 'T')}:00`) - Date.parse(start)) / 1000,
      );
    }
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(Math.min(600, 2 ** index * 0.8) - 0.001);
      expect(wait).toBeLessThanOrEqual(Math.min(600, 2 ** index * 1.2));
    }
  });

  it('does not come back at the same instant as others that failed with it', async () => {
    const ids = await emitMany(database.admin, 20);
    const failed = await failEvents(database.service, ids);
    expect(new Set(failed.map((each) => each.nextAttemptAt)).size).toBeGreaterThan(10);
  });

  it.each(['none', 'aggregate'] as const)(
    'is not fetched before its backoff ends: order %s',
    async (order) => {
      const [id = '', other] = await emitMany(database.admin, 2);
      const [failed] = await failEvents(database.service, [id]);
      expect(await wouldTake({ order })).toEqual([other]);
      expect(await wouldTake({ order, now: tooEarly(1) })).toEqual([other]);
      expect(await wouldTake({ order, now: failed?.nextAttemptAt ?? '' })).toEqual([id, other]);
    },
  );

  it.each(['none', 'aggregate'] as const)('is given up at the limit: order %s', async (order) => {
    const [id = ''] = await emitMany(database.admin, 1);
    await failEvents(database.service, [id]);
    await failEvents(database.service, [id], latest(1));
    const [third] = await failEvents(database.service, [id], latest(3));
    expect(third).toMatchObject({ became: 'given_up', attemptCount: 3, nextAttemptAt: null });
    expect(await wouldTake({ order, now: after(86_400) })).toEqual([]);
    // A publisher with a higher limit tries again.
    const patient = await inTransaction(database.service, (client) =>
      fetchUnpublished(client, { limit: 5, maxAttempts: 4, order }, after(86_400)),
    );
    expect(patient.map((event) => [event.eventId, event.attemptCount])).toEqual([[id, 3]]);
  });

  it('keeps its error, masked and cut', async () => {
    const ids = await emitMany(database.admin, 3);
    const token = '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1';
    const errors = [`refused (${token})`, `${'x'.repeat(990)} ${token}`, 'x'.repeat(100_000)];
    await markPublishFailed(
      database.service,
      ids.map((eventId, index) => ({ eventId, error: errors[index] ?? '' })),
      3,
      start,
    );
    const kept = await Promise.all(ids.map((id) => storedEvent(database.admin, id)));
    expect(kept.map((event) => event?.last_error)).toEqual([
      'refused ([token])',
      `${'x'.repeat(990)} [token]`,
      'x'.repeat(1000),
    ]);
  });

  it('counts one failure if it is named twice, and keeps the first error', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    const failures = ['first', 'second'].map((error) => ({ eventId: id, error }));
    expect(await markPublishFailed(database.service, failures, 3, start)).toHaveLength(1);
    expect(await storedEvent(database.admin, id)).toMatchObject({
      attempt_count: 1,
      last_error: 'first',
    });
  });

  it('is told apart from one that is published and from one that does not exist', async () => {
    const [id = '', published = ''] = await emitMany(database.admin, 2);
    await markPublished(database.service, [published], start);
    const unknown = randomUUID();
    const answers = await failEvents(database.service, [id, published, unknown]);
    const notes = new Map(answers.map((each) => [each.eventId, [each.became, each.note]]));
    expect(notes.get(id)).toEqual(['waiting', null]);
    expect(notes.get(published)).toEqual([null, 'it is published already']);
    expect(notes.get(unknown)).toEqual([null, 'there is no such event']);
    expect(await storedEvent(database.admin, published)).toMatchObject({ attempt_count: 0 });
  });
});

describe('events that failed', () => {
  it.each(['none', 'aggregate'] as const)(
    'get half of a batch while new events wait: order %s',
    async (order) => {
      const failed = await emitMany(database.admin, 6);
      await failEvents(database.service, failed);
      const fresh = await emitMany(database.admin, 6);
      const now = latest(1);
      const taken = await wouldTake({ limit: 4, order, now });
      expect(taken.filter((id) => failed.includes(id))).toHaveLength(2);
      expect(taken.slice(2)).toEqual(fresh.slice(0, 2));
    },
  );

  it.each(['none', 'aggregate'] as const)(
    'fill what new events leave of a batch: order %s',
    async (order) => {
      const failed = await emitMany(database.admin, 6);
      await failEvents(database.service, failed);
      const fresh = await emitMany(database.admin, 1);
      const now = latest(1);
      const taken = await wouldTake({ limit: 6, order, now });
      expect(taken).toHaveLength(6);
      expect(taken).toContain(fresh[0]);
      expect(await wouldTake({ limit: 10, order, now })).toEqual([...failed, ...fresh]);
    },
  );

  it('are chosen in the order in which their backoff ended', async () => {
    const failed = await emitMany(database.admin, 5);
    const answers = await failEvents(database.service, failed);
    await emitMany(database.admin, 5);
    const byTime = answers.toSorted((a, b) =>
      (a.nextAttemptAt ?? '').localeCompare(b.nextAttemptAt ?? ''),
    );
    const taken = await wouldTake({ limit: 4, now: latest(1) });
    const first = byTime.slice(0, 2).map((each) => each.eventId);
    expect(taken.filter((id) => failed.includes(id))).toEqual(
      failed.filter((id) => first.includes(id)),
    );
  });
});

describe('the next time to publish', () => {
  it('is when the next backoff ends', async () => {
    const [first = '', second = ''] = await emitMany(database.admin, 2);
    expect(await nextPublishAt(database.service, 3, start)).toBeNull();
    const [soon] = await failEvents(database.service, [first]);
    const [later] = await failEvents(database.service, [second], after(10));
    const asDate = (text: string | null | undefined): Date =>
      new Date(`${text?.replace(' ', 'T')}:00`);
    expect(await nextPublishAt(database.service, 3, start)).toEqual(asDate(soon?.nextAttemptAt));
    expect(await nextPublishAt(database.service, 3, after(5))).toEqual(
      asDate(later?.nextAttemptAt),
    );
    expect(await nextPublishAt(database.service, 3, after(60))).toBeNull();
  });

  it('leaves out events at their limit', async () => {
    const [id = ''] = await emitMany(database.admin, 1);
    await giveUp(database.service, [id]);
    expect(await nextPublishAt(database.service, 3, start)).toBeNull();
    expect(await nextPublishAt(database.service, 4, start)).not.toBeNull();
  });
});

describe('the status', () => {
  it('counts what waits, what is given up and what was published in the last hour', async () => {
    const ids = await emitMany(database.admin, 6);
    const [failed = '', dead = '', published = '', longAgo = ''] = ids;
    const { now } = await queryRow(
      database.admin,
      z.object({ now: z.string() }),
      "select (min(created_at) + interval '90 seconds')::text as now from outrider.outbox_events where published_at is null",
    );
    const at = (seconds: number): string => after(seconds, `${now.replace(' ', 'T')}:00`);
    await failEvents(database.service, [failed]);
    await giveUp(database.service, [dead]);
    await markPublished(database.service, [published], at(-3599));
    await markPublished(database.service, [longAgo], at(-3601));
    const before = await outboxStatus(database.service, 3, at(-7300));
    expect(before.oldest_unpublished_seconds).toBe(0);
    expect(await outboxStatus(database.service, 3, now)).toMatchObject({
      unpublished: 4,
      oldest_unpublished_seconds: 90,
      failed: 1,
      cut: [],
    });
    expect((await outboxStatus(database.service, 1, now)).failed).toBe(2);
    // An hour ago, what earlier tests published is still to come.
    expect((await outboxStatus(database.service, 3, at(-3599))).published_last_hour).toBe(2);
    expect((await outboxStatus(database.service, 3, at(-3601))).published_last_hour).toBe(1);
  });

  it('counts nothing when there is nothing', async () => {
    expect(await outboxStatus(database.service, 3, after(-86_400))).toEqual({
      unpublished: 0,
      oldest_unpublished_seconds: null,
      failed: 0,
      published_last_hour: 0,
      cut: [],
    });
  });

  it('stops counting at ten thousand, and says so', async () => {
    await database.admin.query(
      `insert into outrider.outbox_events (id, event_type, aggregate_type, aggregate_id, payload_json)
       select x.id, 'ad_paused', 'ad', x.id,
         jsonb_build_object('version', 1, 'eventId', x.id, 'occurredAt', '', 'data', 1)
       from (select gen_random_uuid() as id from generate_series(1, 10001) offset 0) x`,
    );
    expect(await outboxStatus(database.service, 3)).toMatchObject({
      unpublished: 10_000,
      cut: ['unpublished'],
    });
    await publishAll(database.admin);
    expect(await outboxStatus(database.service, 3)).toMatchObject({
      unpublished: 1,
      published_last_hour: 10_000,
      cut: ['published_last_hour'],
    });
  });
});
