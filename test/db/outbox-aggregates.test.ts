import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { fetchUnpublished, markPublished, type PublishOrder } from '../../src/db/outbox.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import {
  asking,
  emit,
  failEvents,
  giveUp,
  inTransaction,
  publishAll,
  storedEvent,
} from '../support/outbox/outbox-events.ts';

// The order of aggregates, case by case; outbox-order has all of them at once.

const database = await useDatabase();

/** Three events of one aggregate, in their order, and one of another. */
let first: string;
let second: string;
let third: string;
let other: string;
const sessions = useSessions();

beforeEach(async () => {
  await publishAll(database.admin);
  const aggregate = randomUUID();
  first = await emit(database.admin, aggregate);
  second = await emit(database.admin, aggregate);
  other = await emit(database.admin);
  third = await emit(database.admin, aggregate);
});

async function take(
  client: Queryable,
  limit = 50,
  now: string = start,
  order: PublishOrder = 'aggregate',
): Promise<string[]> {
  const events = await fetchUnpublished(client, asking(limit, order), now);
  return events.map((event) => event.eventId);
}

/** A fetch whose transaction is committed without publishing anything. */
const look = (now?: string, order?: PublishOrder): Promise<string[]> =>
  inTransaction(database.service, (client) => take(client, 50, now, order));

describe('in the order of aggregates', () => {
  it('a batch holds several events of an aggregate, the first ones, in order', async () => {
    expect(await look()).toEqual([first, second, other, third]);
    const short = await inTransaction(database.service, (client) => take(client, 2));
    expect(short).toEqual([first, second]);
  });

  it('an event waits for one that another publisher has', async () => {
    const one = await sessions.open(database.service);
    const two = await sessions.open(database.service, { wait: false });
    expect(await take(one.client, 1)).toEqual([first]);
    expect(await take(two.client)).toEqual([other]);
    await markPublished(one.client, [first]);
    await one.commit();
    await two.rollback();
    expect(await look()).toEqual([second, other, third]);
  });

  it('an event waits for one that is in backoff, and follows when that is published', async () => {
    await failEvents(database.service, [first]);
    expect(await look()).toEqual([other]);
    expect(await look(after(2))).toEqual([first, other]);
    await markPublished(database.service, [first], after(2));
    expect(await look(after(2))).toEqual([second, other, third]);
  });

  it('an event waits for one that was given up, for as long as it takes', async () => {
    await giveUp(database.service, [first]);
    expect(await look(after(86_400))).toEqual([other]);
  });

  it('an event that waits behind a failure says so, and has not failed itself', async () => {
    await giveUp(database.service, [first]);
    await look();
    expect(await storedEvent(database.admin, third)).toMatchObject({
      attempt_count: 0,
      last_error: `waits for the earlier event ${first} of its aggregate`,
    });
    await markPublished(database.service, [first]);
    expect(await storedEvent(database.admin, third)).toMatchObject({ last_error: null });
  });

  it('an event waits for an older one that is committed later, once that is there', async () => {
    await publishAll(database.admin);
    const aggregate = randomUUID();
    const late = await sessions.open(database.admin);
    const older = await emit(late.client, aggregate);
    const younger = await emit(database.admin, aggregate);
    await failEvents(database.service, [younger]);
    await late.commit();
    expect(await look(after(60))).toEqual([older]);
    await markPublished(database.service, [older], after(60));
    // It had been due, and was put aside for a second.
    expect(await look(after(62))).toEqual([younger]);
  });

  it('an older one that is committed later goes alone while the next is in backoff', async () => {
    await publishAll(database.admin);
    const aggregate = randomUUID();
    const late = await sessions.open(database.admin);
    const older = await emit(late.client, aggregate);
    const younger = await emit(database.admin, aggregate);
    await emit(database.admin, aggregate);
    await failEvents(database.service, [younger]);
    await late.commit();
    expect(await look()).toEqual([older]);
  });

  it('aggregates of different types do not wait for one another, whatever their ids', async () => {
    await publishAll(database.admin);
    const id = randomUUID();
    const one = await emit(database.admin, id);
    await giveUp(database.service, [one]);
    const text = `select outrider.emit_event('media_uploaded', 'media', $1, '{}') as id`;
    const { rows } = await database.admin.query<{ id: string }>(text, [id]);
    expect(await look()).toEqual([rows[0]?.id]);
  });
});

describe('publishers that change their mind about the order', () => {
  it('find what was kept waiting for an earlier event', async () => {
    await giveUp(database.service, [first]);
    expect(await look()).toEqual([other]);
    expect(await look(start, 'none')).toEqual([second, other, third]);
  });

  it('have what failed without the order wait in it', async () => {
    await failEvents(database.service, [first, second, third]);
    expect(await look(after(60))).toEqual([first, other]);
    await markPublished(database.service, [first, other], after(60));
    expect(await look(after(62))).toEqual([second]);
    await markPublished(database.service, [second], after(62));
    expect(await look(after(64))).toEqual([third]);
  });
});

describe('an event that somebody changed by hand', () => {
  it.each(['none', 'aggregate'] as const)('is found all the same: %s', async (order) => {
    await database.admin.query(
      "update outrider.outbox_events set attempt_count = 1, last_error = 'by hand' where id = $1",
      [first],
    );
    expect(await look(start, order)).toContain(first);
    await database.admin.query(
      'update outrider.outbox_events set attempt_count = 0, last_error = null where id = $1',
      [first],
    );
    expect(await look(start, order)).toEqual([first, second, other, third]);
    await database.admin.query(
      'update outrider.outbox_events set published_at = now() where id = $1',
      [first],
    );
    expect(await look(start, order)).toEqual([second, other, third]);
  });

  it('lets go what waited behind it', async () => {
    await giveUp(database.service, [first]);
    await look();
    await database.admin.query(
      'update outrider.outbox_events set published_at = now() where id = $1',
      [first],
    );
    expect(await look()).toEqual([second, other, third]);
  });
});
