import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { coalescedWake } from '../../src/db/coalesced-wake.ts';
import { wakeDispatchers } from '../../src/db/dispatch.ts';
import { type Listener, listenForWakes } from '../../src/db/listen.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import type { OutriderError } from '../../src/errors.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { startTcpProxy, type TcpProxy } from '../support/http/tcp-proxy.ts';

const database = await useDatabase();
let proxy: TcpProxy;
let wakes = 0;
const lost: OutriderError[] = [];
const undo: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
  wakes = 0;
  lost.length = 0;
});

const never = 3_600_000;

interface Pace {
  readonly heartbeatMs?: number;
  readonly silenceMs?: number;
  readonly reconnectMs?: number;
}

/** Listens over a wire of its own; heartbeats are far away unless the test asks for them. */
async function listen(pace: Pace = {}): Promise<Listener> {
  proxy = await startTcpProxy(database.url);
  undo.push(() => proxy.close());
  return listenOverProxy(pace);
}

function listenOverProxy(pace: Pace): Listener {
  const listener = listenForWakes({
    url: proxy.url,
    applicationName: 'listen test',
    onWake: () => {
      wakes += 1;
    },
    onLost: (error) => lost.push(error),
    heartbeatMs: never,
    reconnectMs: 10,
    ...pace,
  });
  undo.push(() => listener.stop());
  return listener;
}

async function toHear(count: number): Promise<void> {
  await vi.waitFor(() => expect(wakes).toBe(count), 30_000);
}

async function backends(): Promise<{ pid: number; query: string }[]> {
  return queryRows(
    database.admin,
    z.object({ pid: z.number(), query: z.string() }),
    `select pid, query from pg_stat_activity
     where application_name = 'listen test' and datname = current_database()`,
  );
}

describe('a listener', () => {
  it('wakes once when it has begun to listen, for what was missed before', async () => {
    await listen();
    await toHear(1);
    expect(await backends()).toMatchObject([{ query: 'listen outrider_wake' }]);
    expect(wakes).toBe(1);
  });

  it('wakes for every notification of another session', async () => {
    await listen();
    await toHear(1);
    await wakeDispatchers(database.service);
    await toHear(2);
    await wakeDispatchers(database.service);
    await toHear(3);
    expect(lost).toEqual([]);
  });

  it('connects again after its backend was ended, says so once, and wakes for what it missed', async () => {
    await listen();
    await toHear(1);
    await database.admin.query('select pg_terminate_backend($1)', [(await backends())[0]?.pid]);
    await toHear(2);
    expect(lost.map((error) => error.code)).toEqual(['database_away']);
    await wakeDispatchers(database.service);
    await toHear(3);
  });

  it('says once that it cannot connect, however often it tries, and listens when it can', async () => {
    await listen();
    await toHear(1);
    await proxy.greet('left');
    proxy.cut();
    await vi.waitFor(() => expect(proxy.made()).toBe(2), 30_000);
    for (let attempts = 3; attempts <= 5; attempts += 1) {
      proxy.cut();
      await vi.waitFor(() => expect(proxy.made()).toBe(attempts), 30_000);
    }
    expect(lost).toHaveLength(1);
    await proxy.greet('served');
    proxy.cut();
    await toHear(2);
    expect(lost).toHaveLength(1);
  });

  it('says so again when it is lost again', async () => {
    await listen();
    for (let times = 1; times <= 3; times += 1) {
      await toHear(times);
      expect(lost).toHaveLength(times - 1);
      proxy.cut();
    }
    await toHear(4);
  });

  it('notices a connection that has gone silent, and leaves it', async () => {
    // The usual silence: a shorter one would also leave the connection after it, on a machine that pauses for a second.
    await listen({ heartbeatMs: 20 });
    await toHear(1);
    proxy.freeze();
    await toHear(2);
    expect(proxy.made()).toBe(2);
    expect(lost.map((error) => error.code)).toEqual(['database_away']);
    await wakeDispatchers(database.service);
    await toHear(3);
  });

  it('keeps a connection on which nothing happens but heartbeats', async () => {
    await listen({ heartbeatMs: 1 });
    await toHear(1);
    await vi.waitFor(
      async () => expect(await backends()).toMatchObject([{ query: 'select 1' }]),
      30_000,
    );
    expect(proxy.made()).toBe(1);
    expect(lost).toEqual([]);
  });
});

describe('stop', () => {
  /** Long before anything of the listener's own would end. */
  const atOnce = 20_000;
  const patient = { silenceMs: never, reconnectMs: never };

  async function stopsAtOnce(listener: Listener): Promise<void> {
    const late = AbortSignal.timeout(atOnce);
    await Promise.race([
      listener.stop(),
      new Promise((_, reject) => late.addEventListener('abort', () => reject(late.reason))),
    ]);
  }

  it('ends while it listens, and its backend with it', async () => {
    const listener = await listen(patient);
    await toHear(1);
    await stopsAtOnce(listener);
    await vi.waitFor(async () => expect(await backends()).toEqual([]), 30_000);
    await wakeDispatchers(database.service);
    expect(wakes).toBe(1);
    expect(lost).toEqual([]);
  });

  it('ends while it connects to somebody who says nothing', async () => {
    proxy = await startTcpProxy(database.url);
    undo.push(() => proxy.close());
    await proxy.greet('left');
    const listener = listenOverProxy(patient);
    await vi.waitFor(() => expect(proxy.made()).toBe(1), 30_000);
    await stopsAtOnce(listener);
    await vi.waitFor(() => expect(proxy.open()).toBe(0), 30_000);
    expect(lost).toEqual([]);
  });

  it('ends while it waits to connect again', async () => {
    const listener = await listen(patient);
    await toHear(1);
    proxy.cut();
    await vi.waitFor(() => expect(lost).toHaveLength(1), 30_000);
    await stopsAtOnce(listener);
    expect(proxy.made()).toBe(1);
  });

  it('ends while a heartbeat is without an answer', async () => {
    const listener = await listen({ ...patient, heartbeatMs: 1 });
    await toHear(1);
    proxy.freeze();
    await vi.waitFor(() => expect(proxy.held()).toBeGreaterThan(0), 30_000);
    await stopsAtOnce(listener);
    expect(lost).toEqual([]);
  });

  it('ends when the connection has gone silent and nobody has noticed', async () => {
    const listener = await listen(patient);
    await toHear(1);
    proxy.freeze();
    await stopsAtOnce(listener);
    expect(lost).toEqual([]);
  });
});

describe('a coalesced wake', () => {
  it('goes out at once', async () => {
    await listen();
    await toHear(1);
    coalescedWake(database.service, fail, never)();
    await toHear(2);
    expect(lost).toEqual([]);
  });

  it('makes two notifications of a thousand calls within the quiet time', async () => {
    await listen();
    await toHear(1);
    const wake = coalescedWake(database.service, fail, 50);
    for (let calls = 0; calls < 1000; calls += 1) wake();
    await toHear(3);
    // Behind those two, and nothing in between.
    await wakeDispatchers(database.service);
    await toHear(4);
    expect(lost).toEqual([]);
  });

  it('tells of a failure and goes out again with the next call', async () => {
    await listen();
    await toHear(1);
    const refusing = await database.connectAs({ roles: ['outrider_reader'] });
    const errors: unknown[] = [];
    const wake = coalescedWake(refusing, (error) => errors.push(error), 1);
    wake();
    await vi.waitFor(() => expect(errors).toMatchObject([{ code: 'not_allowed' }]), 30_000);
    await database.admin.query(
      'grant execute on function outrider.wake_dispatchers to outrider_reader',
    );
    await vi.waitFor(() => {
      wake();
      expect(wakes).toBeGreaterThan(1);
    }, 30_000);
    expect(errors).toHaveLength(1);
  });

  function fail(error: unknown): void {
    throw error;
  }
});
