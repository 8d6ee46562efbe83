import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { silentLog } from '../../src/log.ts';
import type { OutboxEvent } from '../../src/outbox/broker.ts';
import { openBroker } from '../../src/outbox/brokers/open-broker.ts';
import { missingProgram } from '../support/brokers/debian-package.ts';
import { type RedisServer, startRedisServer } from '../support/brokers/redis-server.ts';
import { openDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';
import { fromSources } from '../support/processes/from-sources.ts';
import { type ConsumerLogin, createConsumerLogin } from './consumer-login.ts';
import { anEvent } from './events.ts';

// The reference consumer as people run it, against real servers: duplicates, failing handlers, and kill -9. Its
// effects are rows without a key that would keep a second one out.

const program = fileURLToPath(new URL('../../examples/outbox-consumer.ts', import.meta.url));
const missing = missingProgram('redis-server', 'redis-server');
const group = 'order-confirmations';

let server: RedisServer;
let redis: Redis;
let database: TestDatabase;
let consumer: ConsumerLogin;
let stream: string;
const running = new Set<ChildProcess>();

beforeAll(async () => {
  if (missing !== undefined) return;
  server = await startRedisServer();
  redis = new Redis(server.url);
  database = await openDatabase();
  consumer = await createConsumerLogin(database);
  await database.admin.query(`
    create table public.order_confirmations (event_id uuid, order_id uuid, total text);
    grant all on public.order_confirmations to outrider_consumer;
    create table public.flaky (event_id uuid);
    create table public.held (event_id uuid);
    create sequence public.tries;
    create function public.trouble() returns trigger language plpgsql security definer as $$
    begin
      if exists (select from public.flaky f where f.event_id = new.event_id) and nextval('public.tries') <= 5 then
        raise exception 'the mail server is down';
      end if;
      if exists (select from public.held h where h.event_id = new.event_id) then
        perform pg_advisory_xact_lock_shared(42);
      end if;
      return new;
    end;
    $$;
    create trigger trouble before insert on public.order_confirmations
      for each row execute function public.trouble();`);
});

beforeEach(() => {
  stream = `events-${randomUUID()}`;
});

afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

afterAll(async () => {
  if (missing !== undefined) return;
  redis.disconnect();
  await server.close();
  await consumer.close();
  await database.close();
});

/** A process of the consumer that runs. */
async function start(env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, fromSources(program), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ...compiledSources,
      REDIS_URL: server.url,
      DATABASE_URL: consumer.url,
      EVENTS_STREAM: stream,
      // A process that stands still for longer between effect and mark has its event taken by another, and applied again.
      LEASE_MS: '5000',
      RETRY_MS: '200',
      ...env,
    },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  await once(child.stdout ?? child, 'data');
  child.stdout?.resume();
  return child;
}

async function stop(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  return (await ended)[0];
}

const data = { totalCents: 1200, currency: 'USD' };

function orders(count: number): OutboxEvent[] {
  return Array.from({ length: count }, () => anEvent({ data }));
}

async function publish(events: readonly OutboxEvent[]): Promise<void> {
  const broker = await openBroker(`${server.url}/0/${stream}`, { log: silentLog });
  const results = await broker.publish(events, AbortSignal.timeout(10_000));
  await broker.close();
  expect(results.filter((result) => !result.ok)).toEqual([]);
}

const idsOf = (events: readonly OutboxEvent[]): string[] => events.map((event) => event.eventId);

/** How often each effect was applied, by event. */
async function effectsOf(events: readonly OutboxEvent[]): Promise<number[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ count: z.number() }),
    `select (select count(*)::integer from public.order_confirmations c where c.event_id = e.id) as count
     from unnest($1::uuid[]) with ordinality as e (id, place) order by e.place`,
    [idsOf(events)],
  );
  return rows.map((row) => row.count);
}

/** Waits until a process is in the middle of an effect; answers with its connection. */
async function untilHeld(): Promise<number> {
  return vi.waitFor(
    async () => {
      const { pid } = await queryRow(
        database.admin,
        z.object({ pid: z.number() }),
        "select min(pid) as pid from pg_locks where locktype = 'advisory' and not granted",
      );
      return pid;
    },
    { timeout: 30_000 },
  );
}

/** Waits until everything that was published is acknowledged. */
async function untilAcknowledged(): Promise<void> {
  const Group = z.object({ pending: z.number(), lag: z.number() });
  await vi.waitFor(
    async () => {
      const [pairs] = z.array(z.array(z.unknown())).parse(await redis.xinfo('GROUPS', stream));
      const fields = pairs?.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1]]] : []));
      expect(Group.parse(Object.fromEntries(fields ?? []))).toEqual({ pending: 0, lag: 0 });
    },
    { timeout: 45_000, interval: 50 },
  );
}

describe.skipIf(missing !== undefined)('the reference consumer', () => {
  it('says which settings are missing', async () => {
    const child = spawn(process.execPath, fromSources(program), {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'], ...compiledSources },
    });
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).toBe(2);
    expect(said).toMatch(/→ at REDIS_URL[\s\S]*→ at DATABASE_URL/);
    expect(said).not.toContain('.ts:');
  });

  it('applies each effect once, although events come twice, fail, and a process is killed in the middle', async () => {
    const events = orders(30);
    const [flaky, , , held] = events;
    const note = (table: string, event: OutboxEvent | undefined): Promise<unknown> =>
      database.admin.query(`insert into public.${table} values ($1)`, [event?.eventId]);
    await note('flaky', flaky);
    await note('held', held);
    const gate = await database.admin.connect();
    await gate.query('select pg_advisory_lock(42)');

    const victim = await start();
    await publish([...events, ...events.toReversed(), ...events]);
    await untilHeld();
    victim.kill('SIGKILL');
    const others = [await start(), await start()];
    await gate.query('select pg_advisory_unlock(42)');
    gate.release();

    await untilAcknowledged();
    expect(await effectsOf(events)).toEqual(events.map(() => 1));
    expect(await Promise.all(others.map(stop))).toEqual([0, 0]);
  });

  it('applies each effect once wherever it is killed, if effect and mark are committed together', async () => {
    const events = orders(150);
    const env = { IN_TRANSACTION: '1' };
    let child = await start(env);
    await publish([...events, ...events]);
    for (const done of [10, 40, 70, 110]) {
      await vi.waitFor(
        async () =>
          expect((await effectsOf(events)).filter((count) => count > 0).length).toBeGreaterThan(
            done,
          ),
        { timeout: 30_000, interval: 5 },
      );
      child.kill('SIGKILL');
      child = await start(env);
    }
    await untilAcknowledged();
    expect(await effectsOf(events)).toEqual(events.map(() => 1));
    expect(await stop(child)).toBe(0);
  });

  it('lives on when its connection to PostgreSQL breaks in the middle', async () => {
    const events = orders(3);
    await database.admin.query('insert into public.held values ($1)', [events[0]?.eventId]);
    const gate = await database.admin.connect();
    await gate.query('select pg_advisory_lock(42)');
    const child = await start();
    await publish(events);
    await database.admin.query('select pg_terminate_backend($1)', [await untilHeld()]);
    await gate.query('select pg_advisory_unlock(42)');
    gate.release();
    await untilAcknowledged();
    expect(await effectsOf(events)).toEqual([1, 1, 1]);
    expect(await stop(child)).toBe(0);
  });

  it('takes PostgreSQL for the marks if it is told to', async () => {
    const events = orders(5);
    const child = await start({ IDEMPOTENCY_URL: consumer.url });
    await publish([...events, ...events]);
    await untilAcknowledged();
    expect(await effectsOf(events)).toEqual(events.map(() => 1));
    expect(await redis.keys(`pf:evt:processed:${group}:${events[0]?.eventId}`)).toEqual([]);
    await stop(child);
  });

  it('sets what is no event aside, and leaves alone what is not for it', async () => {
    const [good] = orders(1);
    if (good === undefined) throw new Error('no event');
    const bad = [
      anEvent({ payload: '{"half":' }),
      anEvent({ data: { ...data, totalCents: 'much' } }),
      { ...anEvent({ data }), eventId: randomUUID() },
    ];
    const other = anEvent({ eventType: 'media_uploaded', data });
    const child = await start();
    await publish([...bad, other, good]);
    await untilAcknowledged();
    expect(await effectsOf([...bad, other, good])).toEqual([0, 0, 0, 0, 1]);
    expect(await redis.xlen(`${stream}:invalid`)).toBe(bad.length);
    await stop(child);
  });

  it('is told to stop while it processes, finishes that event, and leaves the others pending', async () => {
    const events = orders(3);
    await database.admin.query('insert into public.held values ($1)', [events[0]?.eventId]);
    const gate = await database.admin.connect();
    await gate.query('select pg_advisory_lock(42)');
    await publish(events);
    const child = await start({ RETRY_MS: '60000' });
    await untilHeld();
    const stopped = stop(child);
    await gate.query('select pg_advisory_unlock(42)');
    gate.release();
    expect(await stopped).toBe(0);
    expect(await effectsOf(events)).toEqual([1, 0, 0]);
    expect(await redis.xpending(stream, group)).toMatchObject([
      2,
      expect.anything(),
      expect.anything(),
      expect.anything(),
    ]);

    const next = await start();
    await untilAcknowledged();
    expect(await effectsOf(events)).toEqual([1, 1, 1]);
    await stop(next);
  });
});
