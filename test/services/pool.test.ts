import { once } from 'node:events';
import net from 'node:net';
import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callFunction } from '../../src/db/call.ts';
import { openClient, openPool, type PoolOptions, type Queryable } from '../../src/db/pool.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import type { OutriderError } from '../../src/errors.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';

const database = await useDatabase();
const undo = useUndo();

beforeAll(async () => {
  await database.admin.query(
    `create function outrider.test_wait(p_seconds integer) returns void
       language sql as $$ select pg_sleep(p_seconds) $$`,
  );
});

function pool(options: Partial<PoolOptions> = {}): pg.Pool {
  const opened = openPool({ url: database.url, applicationName: 'pool test', ...options });
  undo.push(() => opened.end());
  return opened;
}

async function backendOf(client: Queryable): Promise<number> {
  const backend = z.object({ pid: z.number() });
  return (await queryRow(client, backend, 'select pg_backend_pid() as pid')).pid;
}

/** The statements that were prepared on a connection, in their order. */
async function preparedIn(client: Queryable): Promise<string[]> {
  const { rows } = await client.query(
    'select name from pg_prepared_statements order by prepare_time',
  );
  return z
    .array(z.object({ name: z.string() }))
    .parse(rows)
    .map((row) => row.name);
}

const wait = { name: 'test_wait', args: [600], row: z.unknown() };

describe('a pool', () => {
  it('shows who is connected', async () => {
    const { rows } = await pool().query("select current_setting('application_name') as name");
    expect(rows).toEqual([{ name: 'pool test' }]);
  });

  it('keeps a connection whose query the server has refused', async () => {
    const one = pool({ max: 1 });
    const before = await backendOf(one);
    await expect(one.query('select 1 / 0')).rejects.toThrow('division by zero');
    await expect(one.query({ text: 'select $1::integer', values: ['x'] })).rejects.toThrow('"x"');
    expect(await backendOf(one)).toBe(before);
  });

  it('opens another one where the server has ended it', async () => {
    const one = pool({ max: 1 });
    const before = await backendOf(one);
    await expect(one.query('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow(
      'terminating connection',
    );
    expect(await backendOf(one)).not.toBe(before);
  });

  it('keeps the settings of its address and adds its own', async () => {
    const url = `${database.url}&options=${encodeURIComponent('-c work_mem=1234kB -c timezone=Asia/Tokyo')}`;
    const { rows } = await pool({ url }).query(
      `select current_setting('work_mem') as memory, current_setting('timezone') as zone,
              current_setting('datestyle') as style`,
    );
    expect(rows).toEqual([{ memory: '1234kB', zone: 'Asia/Tokyo', style: 'ISO, MDY' }]);
  });

  it('reads what is committed, whatever the default of the database is', async () => {
    const setting = `alter database ${database.name} set default_transaction_isolation`;
    await database.admin.query(`${setting} = 'serializable'`);
    undo.push(() => database.admin.query(`${setting} to default`));
    const { rows } = await pool().query("select current_setting('transaction_isolation') as level");
    expect(rows).toEqual([{ level: 'read committed' }]);
  });

  it('lets the server give up on a statement that takes too long', async () => {
    const answer = callFunction(pool({ statementTimeoutMs: 50 }), wait);
    await expect(answer).rejects.toMatchObject({ code: 'database_busy', sqlstate: '57014' });
  });

  it('lets the server give up on a lock that another transaction keeps', async () => {
    const holder = await database.admin.connect();
    await holder.query('begin');
    await holder.query('lock table outrider.workspaces');
    const opened = pool({ lockTimeoutMs: 50, statementTimeoutMs: 600_000 });
    const answer = callFunction(opened, { name: 'list_workspaces', args: [], row: z.unknown() });
    await expect(answer).rejects.toMatchObject({ code: 'database_busy', sqlstate: '55P03' });
    await holder.query('rollback');
    holder.release();
  });

  it('gives up on a connection that went silent, and goes on with another', async () => {
    const wire = await throughSilentWire(database.url);
    // Long enough for the queries that are answered, on a machine that pauses.
    const opened = pool({ url: wire.url, statementTimeoutMs: 5000, silenceMs: 50 });
    await opened.query('select 1');
    wire.fallSilent();
    await expect(callFunction(opened, wait)).rejects.toMatchObject({ code: 'database_away' });
    wire.speakAgain();
    expect((await opened.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('keeps the connections that it is to keep, however long they rest', async () => {
    const opened = pool({ max: 4, keep: 2, restMs: 1 });
    const lent = await Promise.all(Array.from({ length: 4 }, () => opened.connect()));
    const pids = await Promise.all(lent.map((client) => backendOf(client)));
    let removed = 0;
    const ended = new Promise<void>((resolve) => {
      opened.on('remove', () => {
        removed += 1;
        if (removed === 2) resolve();
      });
    });
    for (const client of lent) client.release();
    await ended;
    expect(opened.totalCount).toBe(2);
    const left = await Promise.all([opened.connect(), opened.connect()]);
    const after = await Promise.all(left.map((client) => backendOf(client)));
    for (const client of left) client.release();
    expect(pids).toEqual(expect.arrayContaining(after));
    expect(new Set(after).size).toBe(2);
  });

  it('keeps one that has rested longer than the others may', async () => {
    const opened = pool({ max: 1, restMs: 1 });
    const before = await backendOf(opened);
    const other = pool({ max: 1, keep: 0, restMs: 1 });
    await backendOf(other);
    await once(other, 'remove'); // which had to rest for as long
    expect(await backendOf(opened)).toBe(before);
  });

  it('that warms opens those that it keeps at the first query, and has them make their plans', async () => {
    const opened = pool({ max: 5, keep: 3, warms: true });
    const clients = new Set<pg.PoolClient>();
    const rested = new Promise<void>((resolve) => {
      opened.on('release', (_error, client) => {
        clients.add(client);
        if (clients.size === 3) resolve();
      });
    });
    await opened.query('select 1');
    await rested;
    expect(opened.totalCount).toBe(3);
    const statements = await Promise.all([...clients].map((client) => preparedIn(client)));
    expect(statements).toEqual(Array.from({ length: 3 }, () => ['warm_up/0']));
  });

  it('that warms is of use to a login that may not', async () => {
    const url = await database.addLogin({ roles: ['outrider_reader'] });
    const opened = pool({ url, warms: true });
    expect((await opened.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('outlives its idle connections and says that they broke', async () => {
    let report: (error: OutriderError) => void;
    const reported = new Promise<OutriderError>((resolve) => {
      report = resolve;
    });
    const opened = pool({ onError: (error) => report(error) });
    const pid = await backendOf(opened);
    await database.admin.query('select pg_terminate_backend($1)', [pid]);
    expect((await reported).code).toBe('database_away');
    expect((await opened.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('refuses an address that is none, without repeating it', () => {
    expect(() => pool({ url: 'user:s3cret@host/db' })).toThrow(/^the database address is not/);
  });
});

describe('a client', () => {
  it('answers queries that were sent together, one by one, whatever becomes of their neighbours', async () => {
    const client = await openClient({ url: database.url, applicationName: 'pool test' });
    undo.push(() => client.end());
    const answers = await Promise.allSettled([
      client.query('select 1 as n'),
      client.query('select 1 / 0'),
      client.query('select 3 as n'),
    ]);
    expect(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.rows : 'failed')),
    ).toEqual([[{ n: 1 }], 'failed', [{ n: 3 }]]);
  });

  it.each([
    ['28P01', { password: 'wrong' }],
    ['3D000', { pathname: '/no_such_database' }],
  ])('that is turned away names the variable to correct (%s)', async (sqlstate, wrong) => {
    const url = Object.assign(new URL(database.url), wrong).href;
    await expect(openClient({ url, applicationName: 'pool test' })).rejects.toMatchObject({
      sqlstate,
      hint: expect.stringMatching(/^DATABASE_URL says /),
    });
  });

  it('that finds no server says that the database is away', async () => {
    const url = 'postgresql://nobody@127.0.0.1:1/nothing';
    await expect(openClient({ url, applicationName: 'pool test' })).rejects.toMatchObject({
      code: 'database_away',
      message: 'the database at 127.0.0.1:1 cannot be reached (ECONNREFUSED)',
    });
  });
});

/** The same address through a wire that can swallow everything without breaking. */
async function throughSilentWire(address: string) {
  const url = new URL(address);
  const target = { host: url.hostname, port: Number(url.port) };
  let silent = false;
  const sockets = new Set<net.Socket>();
  const wire = net.createServer((near) => {
    const far = net.connect(target);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => silent || to.write(chunk));
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
  });
  wire.listen(0, '127.0.0.1');
  await once(wire, 'listening');
  undo.unshift(() => {
    for (const socket of sockets) socket.destroy();
    wire.close();
  });
  const bound = wire.address();
  if (bound === null || typeof bound === 'string') throw new Error('the wire has no port');
  url.port = String(bound.port);
  return {
    url: url.toString(),
    fallSilent: () => {
      silent = true;
    },
    speakAgain: () => {
      silent = false;
    },
  };
}
