import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { openClient, type Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { createPostgresStore } from '../../src/outbox/idempotency/postgres.ts';
import { processInTransaction } from '../../src/outbox/idempotency/process-in-transaction.ts';
import { processOnce } from '../../src/outbox/idempotency/process-once.ts';
import { begin } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';

// The effect is a row of the consumer's own, without a key that would keep a second one out.

const database = await useDatabase();
const sessions = useSessions();
let event: { consumer: string; eventId: string };

beforeAll(async () => {
  await database.admin.query('create table public.effects (event_id uuid)');
  await database.admin.query('grant all on public.effects to outrider_service');
});
beforeEach(() => {
  event = { consumer: 'ledger', eventId: randomUUID() };
});

const apply = (client: Queryable) => async (): Promise<void> => {
  await client.query('insert into public.effects (event_id) values ($1)', [event.eventId]);
};

/** How long a transaction waits for another that has the event. */
async function patience(limit: string): Promise<void> {
  const name = 'outrider.check_and_mark_processed';
  await database.admin.query(`alter function ${name} set lock_timeout = '${limit}'`);
}

async function effects(): Promise<number> {
  const text = 'select from public.effects where event_id = $1';
  return (await queryRows(database.admin, z.unknown(), text, [event.eventId])).length;
}

describe('an event processed in a transaction', () => {
  it('has its effect and its mark when the transaction is committed', async () => {
    const one = await sessions.open(database.service);
    expect(await processInTransaction(one.client, event, apply(one.client))).toBe('processed');
    expect(await effects()).toBe(0);
    await one.commit();
    const two = await sessions.open(database.service);
    expect(await processInTransaction(two.client, event, apply(two.client))).toBe('duplicate');
    await two.commit();
    expect(await effects()).toBe(1);
  });

  it('has neither when the transaction is undone', async () => {
    const one = await sessions.open(database.service);
    await processInTransaction(one.client, event, apply(one.client));
    await one.rollback();
    const two = await sessions.open(database.service);
    expect(await processInTransaction(two.client, event, apply(two.client))).toBe('processed');
    await two.commit();
    expect(await effects()).toBe(1);
  });

  it('has neither when the connection is lost before the commit', async () => {
    const lost = await openClient({ url: database.url, applicationName: 'lost' });
    const gone = new Promise<void>((resolve) => lost.once('end', resolve));
    await lost.query('begin');
    await processInTransaction(lost, event, apply(lost));
    await database.admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lost' and datname = current_database()",
    );
    await gone;
    const two = await sessions.open(database.service);
    expect(await processInTransaction(two.client, event, apply(two.client))).toBe('processed');
    await two.commit();
    expect(await effects()).toBe(1);
  });

  it('has neither when the handler fails, even if the transaction is committed', async () => {
    const one = await sessions.open(database.service);
    const failure = new Error('no such account');
    const failing = async (): Promise<void> => {
      await apply(one.client)();
      throw failure;
    };
    await expect(processInTransaction(one.client, event, failing)).rejects.toBe(failure);
    const broken = () => one.client.query('select 1/0');
    await expect(processInTransaction(one.client, event, broken)).rejects.toThrow('by zero');
    await one.commit();
    expect(await effects()).toBe(0);
    const two = await sessions.open(database.service);
    expect(await processInTransaction(two.client, event, apply(two.client))).toBe('processed');
  });

  it('is busy while another transaction has it, and the transaction can be used further', async () => {
    const one = await sessions.open(database.service);
    const two = await sessions.open(database.service);
    await processInTransaction(one.client, event, apply(one.client));
    expect(await processInTransaction(two.client, event, apply(two.client))).toBe('busy');
    await one.commit();
    expect(await processInTransaction(two.client, event, apply(two.client))).toBe('duplicate');
    await two.commit();
    expect(await effects()).toBe(1);
  });

  it('is a duplicate for whoever waited while the other committed', async () => {
    await patience('1min'); // half a second may be over before the other commits
    onTestFinished(() => patience('500ms'));
    const one = await sessions.open(database.service);
    const two = await sessions.open(database.service);
    await processInTransaction(one.client, event, apply(one.client));
    const waiting = begin(processInTransaction(two.client, event, apply(two.client)));
    await two.waitsFor(one, waiting);
    await one.commit();
    expect(await waiting).toBe('duplicate');
  });

  it('is busy while a process has a lease of it, and the other way round', async () => {
    const store = createPostgresStore(database.service);
    const one = await sessions.open(database.service);
    const outcome = await processOnce(store, event, async () => {
      expect(await processInTransaction(one.client, event, apply(one.client))).toBe('busy');
    });
    expect(outcome).toBe('processed');
    expect(await processInTransaction(one.client, event, apply(one.client))).toBe('duplicate');

    event = { ...event, eventId: randomUUID() };
    await processInTransaction(one.client, event, apply(one.client));
    expect(await processOnce(store, event, () => expect.unreachable())).toBe('busy');
    await one.commit();
    expect(await processOnce(store, event, () => expect.unreachable())).toBe('duplicate');
  });

  it('passes on what the handler says, also if it is that something is busy', async () => {
    const one = await sessions.open(database.service);
    const two = await sessions.open(database.service);
    const other = { consumer: 'mailer', eventId: randomUUID() };
    await processInTransaction(one.client, other, () => undefined);
    const inner = () =>
      two.client.query("select outrider.check_and_mark_processed('mailer', $1)", [other.eventId]);
    await expect(processInTransaction(two.client, event, inner)).rejects.toThrow('lock timeout');
  });

  it('is refused without a transaction, before the handler runs', async () => {
    const client = await database.service.connect();
    try {
      for (const queryable of [client, database.service]) {
        const processing = processInTransaction(queryable, event, apply(client));
        await expect(processing).rejects.toMatchObject({
          code: 'invalid_input',
          message: 'there is no open transaction',
        });
      }
    } finally {
      client.release();
    }
    expect(await effects()).toBe(0);
  });

  it('keeps its mark for as long as it is told, a second to 366 days, and else for 7 days', async () => {
    const one = await sessions.open(database.service);
    const tooShort = { ...event, ttlMs: 999 };
    await expect(processInTransaction(one.client, tooShort, () => undefined)).rejects.toThrow(
      'a second to 366 days',
    );
    const short = { ...event, eventId: randomUUID(), ttlMs: 3_600_000 };
    const briefly = (now: string) =>
      processInTransaction(one.client, short, apply(one.client), now);
    expect(await briefly('2026-03-02T10:00:00Z')).toBe('processed');
    expect(await briefly('2026-03-02T10:59:59Z')).toBe('duplicate');
    expect(await briefly('2026-03-02T11:00:00Z')).toBe('processed');
    await processInTransaction(one.client, event, apply(one.client), '2026-03-02T10:00:00Z');
    const at = (now: string) => processInTransaction(one.client, event, apply(one.client), now);
    expect(await at('2026-03-09T09:59:59Z')).toBe('duplicate');
    expect(await at('2026-03-09T10:00:00Z')).toBe('processed');
  });
});
