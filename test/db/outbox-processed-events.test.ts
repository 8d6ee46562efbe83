import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  checkAndMarkProcessed,
  claimEvent,
  confirmEvent,
  extendEvent,
  purgeProcessedEvents,
  releaseEvent,
} from '../../src/db/consume.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { after, start } from '../support/database/seed.ts';
import { begin } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';

// What every store does is held by test/outbox/idempotency-*; here is what only PostgreSQL has: rows, locks and
// transactions.

const consumer = 'mailer';
const leaseMs = 30_000;
const ttlMs = 604_800_000;
const week = 7 * 86_400;

const database = await useDatabase();
const sessions = useSessions();
let event: { consumer: string; eventId: string };
let first: { consumer: string; eventId: string; owner: string };
let second: typeof first;

beforeEach(() => {
  event = { consumer, eventId: randomUUID() };
  first = { ...event, owner: randomUUID() };
  second = { ...event, owner: randomUUID() };
});

const rows = (): Promise<unknown[]> =>
  queryRows(
    database.admin,
    z.object({ kept: z.string() }).transform((row) => row.kept),
    `select concat_ws(' ', state, owner = any ($2), lease_until - $3, expires_at - $3) as kept
     from outrider.processed_events where event_id = $1`,
    [event.eventId, [first.owner, second.owner], start],
  );

describe('the row of an event', () => {
  it('holds a lease, goes when the lease is given back, and holds a mark when it is confirmed', async () => {
    const { service } = database;
    await claimEvent(service, { ...first, leaseMs }, start);
    expect(await rows()).toEqual(['leased t 00:00:30 7 days']);
    await extendEvent(service, { ...first, leaseMs }, after(10));
    expect(await rows()).toEqual(['leased t 00:00:40 7 days']);
    await releaseEvent(service, first, after(11));
    expect(await rows()).toEqual([]);
    await claimEvent(service, { ...second, leaseMs }, after(12));
    await confirmEvent(service, { ...second, ttlMs: 2 * ttlMs }, after(13));
    expect(await rows()).toEqual(['processed t 14 days 00:00:13']);
  });

  it('has no owner when it was marked without a lease, and a second mark adds no row', async () => {
    await checkAndMarkProcessed(database.service, { ...event, ttlMs }, start);
    await checkAndMarkProcessed(database.service, { ...event, ttlMs }, after(1));
    expect(await rows()).toEqual(['processed 7 days']);
  });

  it('is not shortened by an extension that comes late', async () => {
    await claimEvent(database.service, { ...first, leaseMs }, after(10));
    expect(await extendEvent(database.service, { ...first, leaseMs }, after(5))).toBe(true);
    expect(await rows()).toEqual(['leased t 00:00:40 7 days 00:00:10']);
  });

  it.each([
    ['a lease without an owner', "'leased', null, now()", 'a_lease_has_an_owner'],
    ['a lease without an end', "'leased', gen_random_uuid(), null", 'a_lease_has_an_owner'],
    ['a mark with the end of a lease', "'processed', null, now()", 'a_lease_has_an_owner'],
  ])('cannot be %s', async (_, values, constraint) => {
    const insert = database.admin.query(
      `insert into outrider.processed_events (consumer, event_id, state, owner, lease_until, expires_at)
       values ('mailer', gen_random_uuid(), ${values}, now())`,
    );
    await expect(insert).rejects.toThrow(constraint);
  });

  it('cannot have a consumer with a colon in its name, which separates the parts of a key', async () => {
    const insert = database.admin.query(
      `insert into outrider.processed_events (consumer, event_id, state, expires_at)
       values ('a:b', gen_random_uuid(), 'processed', now())`,
    );
    await expect(insert).rejects.toThrow('consumer_is_a_short_name');
    const marking = checkAndMarkProcessed(database.service, { ...event, consumer: 'a:b', ttlMs });
    await expect(marking).rejects.toMatchObject({
      sqlstate: 'OR001',
      message: expect.stringContaining('consumer takes letters'),
    });
  });
});

describe('a transaction that has marked an event', () => {
  it('makes others wait for a moment; then they are told that the database is busy', async () => {
    const holder = await sessions.open(database.service);
    await checkAndMarkProcessed(holder.client, { ...event, ttlMs });
    const refused = { code: 'database_busy', sqlstate: '55P03' };
    const { service } = database;
    await expect(claimEvent(service, { ...first, leaseMs })).rejects.toMatchObject(refused);
    await expect(checkAndMarkProcessed(service, { ...event, ttlMs })).rejects.toMatchObject(
      refused,
    );
    await expect(confirmEvent(service, { ...first, ttlMs })).rejects.toMatchObject(refused);
  });

  it('leaves a mark when it is committed: whoever waits for it finds the mark', async () => {
    const holder = await sessions.open(database.service);
    const waiter = await sessions.open(database.service);
    await checkAndMarkProcessed(holder.client, { ...event, ttlMs });
    const waiting = begin(checkAndMarkProcessed(waiter.client, { ...event, ttlMs }));
    await waiter.waitsFor(holder, waiting);
    await holder.commit();
    expect(await waiting).toBe(true);
  });

  it('leaves nothing when it is rolled back: whoever waits for it marks the event', async () => {
    const holder = await sessions.open(database.service);
    const waiter = await sessions.open(database.service);
    await checkAndMarkProcessed(holder.client, { ...event, ttlMs });
    const waiting = begin(checkAndMarkProcessed(waiter.client, { ...event, ttlMs }));
    await waiter.waitsFor(holder, waiting);
    await holder.rollback();
    expect(await waiting).toBe(false);
  });
});

describe('clearing away', () => {
  beforeEach(() => database.admin.query('delete from outrider.processed_events'));

  const count = async (): Promise<number> =>
    (await queryRows(database.admin, z.unknown(), 'select from outrider.processed_events')).length;

  it('takes marks that have expired, oldest first, no more than it is told', async () => {
    const { service } = database;
    for (const seconds of [30, 10, 20]) {
      const marked = { consumer: `c${seconds}`, eventId: randomUUID(), ttlMs };
      await checkAndMarkProcessed(service, marked, after(seconds));
    }
    expect(await purgeProcessedEvents(service, 2, after(week))).toBe(0);
    expect(await purgeProcessedEvents(service, 2, after(week + 30))).toBe(2);
    const left = await queryRows(
      database.admin,
      z.object({ consumer: z.string() }),
      'select consumer from outrider.processed_events',
    );
    expect(left).toEqual([{ consumer: 'c30' }]);
    expect(await purgeProcessedEvents(service, 2, after(week + 30))).toBe(1);
  });

  it('takes leases that have ended, and none that is held', async () => {
    await claimEvent(database.service, { ...first, leaseMs }, start);
    for (let seconds = 20; seconds <= 60; seconds += 20) {
      await extendEvent(database.service, { ...first, leaseMs }, after(seconds));
    }
    await database.admin.query('update outrider.processed_events set expires_at = $1', [after(61)]);
    expect(await purgeProcessedEvents(database.service, 10, after(89))).toBe(0);
    expect(await purgeProcessedEvents(database.service, 10, after(90))).toBe(1);
  });

  it('leaves alone what another transaction has locked', async () => {
    await checkAndMarkProcessed(database.service, { ...event, ttlMs }, start);
    const holder = await sessions.open(database.admin);
    await holder.client.query('select from outrider.processed_events for update');
    expect(await purgeProcessedEvents(database.service, 10, after(week))).toBe(0);
    expect(await count()).toBe(1);
    await holder.rollback();
    expect(await purgeProcessedEvents(database.service, 10, after(week))).toBe(1);
  });
});
