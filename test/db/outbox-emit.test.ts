import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { fetchUnpublished, writeEvent } from '../../src/db/outbox.ts';
import { openClient } from '../../src/db/pool.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { emitEvent } from '../../src/outbox/emit.ts';
import { readEnvelope } from '../../src/outbox/envelope.ts';
import { createRegistry } from '../../src/outbox/registry.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import {
  aggregateId,
  anEvent,
  asking,
  emit,
  inTransaction,
  publishAll,
  storedEvent,
} from '../support/outbox/outbox-events.ts';

const database = await useDatabase();

/** The login of an application: it emits, and that is all. */
let application: pg.Pool;
const sessions = useSessions();

beforeAll(async () => {
  application = await database.connectAs({ roles: ['outrider_emitter'] });
});

async function waiting(): Promise<string[]> {
  const taken = await inTransaction(database.service, (client) =>
    fetchUnpublished(client, asking(1000)),
  );
  return taken.map((event) => event.eventId);
}

describe('an event that is emitted', () => {
  it('is in an envelope', async () => {
    const before = Date.now();
    const event = {
      ...anEvent(),
      actor: { type: 'user', id: 'u-7', name: 'Ann' },
      occurredAt: new Date('2026-03-02T10:00:00.123Z'),
    };
    const id = await inTransaction(application, (tx) => emitEvent(tx, event));
    const stored = await storedEvent(database.admin, id);
    expect(stored).toEqual({
      id,
      payload: {
        version: 1,
        eventId: id,
        occurredAt: '2026-03-02T10:00:00.123000Z',
        actor: event.actor,
        data: event.data,
      },
      published_at: null,
      attempt_count: 0,
      last_error: null,
    });
    const { created_at } = await queryRow(
      database.admin,
      z.object({ created_at: z.string() }),
      'select created_at::text from outrider.outbox_events where id = $1',
      [id],
    );
    const createdAt = Date.parse(`${created_at.replace(' ', 'T')}:00`);
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(createdAt).toBeLessThanOrEqual(Date.now());
  });

  it('occurred when it was emitted, and by nobody, unless it says so', async () => {
    await publishAll(database.admin);
    await emit(application);
    const [event] = await inTransaction(database.service, (client) =>
      fetchUnpublished(client, asking(1)),
    );
    const envelope = readEnvelope(event?.payload ?? '');
    expect(Object.keys(envelope).toSorted()).toEqual(['data', 'eventId', 'occurredAt', 'version']);
    expect(envelope.occurredAt).toBe(event?.createdAt);
    expect(envelope.occurredAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  it('has the id that it was given, once', async () => {
    const eventId = randomUUID();
    expect(await writeEvent(application, { ...anEvent(), eventId })).toBe(eventId);
    await expect(writeEvent(application, { ...anEvent(), eventId })).rejects.toMatchObject({
      sqlstate: 'OR001',
      message: `emit_event: event_id ${eventId} was emitted before`,
    });
  });

  it('has an id in order of time, unless it was given one', async () => {
    const first = await emit(application);
    let later = first;
    while (later.slice(0, 13) === first.slice(0, 13)) later = await emit(application);
    expect(z.uuidv7().safeParse(later).success).toBe(true);
    expect(later > first).toBe(true);
  });

  it('leaves no trace when its transaction is rolled back', async () => {
    await publishAll(database.admin);
    const session = await sessions.open(application);
    const id = await emit(session.client);
    await session.rollback();
    expect(await storedEvent(database.admin, id)).toBeUndefined();
    expect(await waiting()).toEqual([]);
  });

  it('leaves no trace when a later statement of its transaction fails', async () => {
    const failing = inTransaction(application, async (tx) => {
      await emit(tx, aggregateId(1));
      await tx.query('select 1 / 0');
    });
    await expect(failing).rejects.toThrow('division by zero');
    expect(await waiting()).toEqual([]);
  });

  it('is seen by nobody before its transaction is committed', async () => {
    const session = await sessions.open(application);
    const id = await emit(session.client);
    expect(await waiting()).toEqual([]);
    await session.commit();
    expect(await waiting()).toEqual([id]);
  });

  it('comes after what its aggregate waits for already, also when the clock was set back', async () => {
    await publishAll(database.admin);
    const aggregate = randomUUID();
    const first = await emit(application, aggregate);
    // As if the clock had been an hour ahead.
    await database.admin.query('alter table outrider.outbox_events disable trigger user');
    await database.admin.query(
      "update outrider.outbox_events set created_at = created_at + interval '1 hour' where id = $1",
      [first],
    );
    await database.admin.query('alter table outrider.outbox_events enable trigger user');
    const [second, third] = await inTransaction(application, async (tx) => [
      await emit(tx, aggregate),
      await emit(tx, aggregate),
    ]);
    const other = await emit(application);
    expect(await waiting()).toEqual([other, first, second, third]);
    await publishAll(database.admin);
  });
});

describe('a notification', () => {
  /** A client that listens, and what it has heard. */
  async function listener(): Promise<{ client: pg.Client; heard: string[] }> {
    const client = await openClient({ url: database.url, applicationName: 'outrider test' });
    const heard: string[] = [];
    client.on('notification', ({ channel, payload }) => heard.push(`${channel}:${payload}`));
    await client.query('listen outrider_outbox');
    return { client, heard };
  }

  it('comes once for all events of a transaction, when it is committed, and says nothing', async () => {
    const { client, heard } = await listener();
    const session = await sessions.open(application);
    await emit(session.client);
    await emit(session.client);
    await client.query('select 1');
    expect(heard).toEqual([]);
    await session.commit();
    await vi.waitFor(() => expect(heard).not.toEqual([]), 30_000);
    await client.query('select 1');
    expect(heard).toEqual(['outrider_outbox:']);
    await client.end();
  });

  it('does not come where it is switched off', async () => {
    const { client, heard } = await listener();
    await inTransaction(application, async (tx) => {
      await tx.query('set local outrider.outbox_notify = off');
      await emit(tx);
    });
    await emit(application);
    await vi.waitFor(() => expect(heard).not.toEqual([]), 30_000);
    expect(heard).toEqual(['outrider_outbox:']);
    await client.end();
  });
});

describe('emitEvent', () => {
  it('refuses a pool, by its type and at run time', async () => {
    // @ts-expect-error each query of a pool is a transaction of its own
    await expect(emitEvent(application, anEvent())).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/^emitEvent: this is a pool/),
      hint: expect.stringContaining('pool.connect()'),
    });
  });

  it.each([
    ['data that is no object', { data: 'text' }, 'ad_activated: data'],
    ['no data', { data: undefined }, 'ad_activated: data'],
    ['an aggregate that there is not', { aggregateType: 'zoo' }, 'ad_activated is not about'],
    ['a type that there is not', { eventType: 'ad_eaten' }, 'there is no event type "ad_eaten"'],
    ['a type that every object has', { eventType: 'toString' }, 'there is no event type'],
    ['an actor that is no object', { actor: 'ann' }, 'ad_activated: actor'],
    ['a time that is none', { occurredAt: new Date('soon') }, 'ad_activated: occurredAt'],
  ])('refuses %s before anything is sent', async (_title, wrong, words) => {
    const session = await sessions.open(application);
    const event = { ...anEvent(), ...wrong };
    // @ts-expect-error that is the point
    await expect(emitEvent(session.client, event)).rejects.toMatchObject({
      code: 'invalid_input',
      sqlstate: undefined,
      message: expect.stringContaining(`emitEvent: ${words}`),
    });
    await session.client.query('select 1'); // the transaction is as good as before
  });
});

describe('an application with events of its own', () => {
  const invoices = createRegistry({
    invoice_paid: {
      aggregateTypes: ['ledger_event'],
      version: 2,
      data: z.strictObject({ cents: z.int().min(0) }),
    },
  });
  const paid = {
    eventType: 'invoice_paid',
    aggregateType: 'ledger_event',
    aggregateId: aggregateId(70),
    data: { cents: 1250 },
    actor: { userId: 'u-7', storeId: 's-1', role: 'clerk' },
  } as const;

  it('is told that a type is missing in the database', async () => {
    const session = await sessions.open(application);
    await expect(emitEvent(session.client, paid, invoices)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('the database does not know event type "invoice_paid"'),
      hint: expect.stringContaining('alter type outrider.event_type_enum add value'),
    });
  });

  it('adds a type by a migration and an entry of its registry, and its data is checked', async () => {
    await database.admin.query("alter type outrider.event_type_enum add value 'invoice_paid'");
    const session = await sessions.open(application);
    const wrong = { ...paid, data: { cents: 12.5 } };
    await expect(emitEvent(session.client, wrong, invoices)).rejects.toThrow(
      'emitEvent: invoice_paid: data.cents',
    );
    const id = await emitEvent(session.client, paid, invoices);
    await session.commit();
    const fetched = await inTransaction(database.service, (client) =>
      fetchUnpublished(client, asking(1000)),
    );
    const event = fetched.find((each) => each.eventId === id);
    expect(event).toMatchObject({ eventType: 'invoice_paid', aggregateType: 'ledger_event' });
    expect(readEnvelope(event?.payload ?? '')).toMatchObject({
      version: 2,
      data: paid.data,
      actor: paid.actor,
    });
  });
});

describe('emit_event', () => {
  const lawful = {
    p_event_type: 'ad_activated',
    p_aggregate_type: 'ad',
    p_aggregate_id: aggregateId(1),
    p_data: '{}',
  };

  async function call(args: Readonly<Record<string, unknown>>): Promise<unknown[]> {
    const names = Object.keys(args);
    const list = names.map((name, index) => `${name} => $${index + 1}`).join(', ');
    return queryRows(
      application,
      z.unknown(),
      `select outrider.emit_event(${list})`,
      Object.values(args),
    );
  }

  const filled = (length: number): string => JSON.stringify({ text: 'x'.repeat(length) });

  it.each([
    ['data of 256 KiB', { p_data: filled(262_144 - 12) }],
    [
      'an actor of 4 KiB',
      { p_actor: JSON.stringify({ userId: 'i', storeId: 7, role: 'x'.repeat(4040) }) },
    ],
    ['a version of its own', { p_version: 10_000 }],
    ['the first time there is', { p_occurred_at: '0001-01-01T00:00:00Z' }],
    ['the last time there is', { p_occurred_at: '9999-12-31T23:59:59.999999Z' }],
  ])('takes %s', async (_title, more) => {
    expect(await call({ ...lawful, ...more })).toHaveLength(1);
  });

  it.each([
    [
      'data that is larger',
      { p_data: filled(262_144) },
      'data has 262156 bytes; 262144 are allowed',
    ],
    ['data that is a list', { p_data: '[]' }, 'data must be a JSON object, not array'],
    ['data that is null', { p_data: 'null' }, 'data must be a JSON object, not null'],
    ['no data', { p_data: null }, 'data must be a JSON object, not nothing'],
    ['no aggregate', { p_aggregate_id: null }, 'aggregate_id is missing'],
    [
      'an actor that is larger',
      { p_actor: filled(4096) },
      'actor has 4108 bytes; 4096 are allowed',
    ],
    ['an actor that is a list', { p_actor: '["ann"]' }, 'actor must be a JSON object or nothing'],
    [
      'the nil UUID as aggregate',
      { p_aggregate_id: '00000000-0000-0000-0000-000000000000' },
      'aggregate_id is the nil UUID',
    ],
    [
      'the nil UUID as its id',
      { p_event_id: '00000000-0000-0000-0000-000000000000' },
      'event_id is the nil UUID',
    ],
    ['version 0', { p_version: 0 }, 'version is 0; 1 to 10000 are allowed'],
    ['a time before all', { p_occurred_at: '0001-01-01 00:00:00 BC' }, 'occurred_at must lie'],
    ['a time after all', { p_occurred_at: '10000-01-01T00:00:00Z' }, 'occurred_at must lie'],
    ['a time that never comes', { p_occurred_at: 'infinity' }, 'occurred_at must lie'],
  ])('refuses %s', async (_title, more, words) => {
    await expect(call({ ...lawful, ...more })).rejects.toMatchObject({
      code: 'OR001',
      message: expect.stringContaining(`emit_event: ${words}`),
    });
  });
});
