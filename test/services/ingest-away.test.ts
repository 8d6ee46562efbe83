import { once } from 'node:events';
import net from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { openPool, type Queryable } from '../../src/db/pool.ts';
import { Readiness } from '../../src/http/health.ts';
import { checksums } from '../support/database/catalogue.ts';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { openSessions } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  openIngest,
  overheard,
  type Reply,
  refusalIn,
  request,
  send,
} from '../support/http/ingest.ts';
import { refusingPort } from '../support/http/raw-server.ts';
import { addEndpoint } from '../support/posts/intake.ts';

const database = await useDatabase();
const sessions = openSessions();

beforeAll(async () => {
  await database.admin.query(`
    create function public.crash() returns trigger language plpgsql security definer as $$
    begin
      perform pg_terminate_backend(pg_backend_pid());
      perform pg_sleep(10); -- where the signal is noticed
      return null;
    end $$;
    create function public.fail() returns trigger language plpgsql security definer as $$
    begin
      raise exception 'disk 7 is full of s3cret' using errcode = 'XX001', detail = 'token=s3cret';
    end $$`);
});

let number = 0;
let post: Record<string, unknown>;

beforeEach(async () => {
  number += 1;
  const workspaceId = `w${number}`;
  await addWorkspace(database.admin, workspaceId);
  await addChannel(database.admin, workspaceId, 'news');
  await addEndpoint(database.admin, workspaceId, workspaceId, { ingress_rps: 1000 });
  post = { text: 'Lost: a ginger dog', source_ref: 'post-1' };
});

const secretNow = (): string => `w${number}`;

async function push(client: Queryable, body: unknown = post): Promise<Reply> {
  await using ingest = await openIngest(client);
  const reply = await send(ingest, secretNow(), body);
  expect(reply.status === 202).toBe(ingest.woken.length === 1);
  return reply;
}

function outcomeOf(reply: Reply): object {
  return { status: reply.status, after: reply.headers.get('retry-after'), ...refusalIn(reply) };
}

const unavailable = {
  status: 503,
  after: '5',
  code: 'database_unavailable',
  message: 'the database does not answer, so nothing was accepted',
  hint: expect.stringContaining('send the same request again'),
};

async function withTrigger(name: 'crash' | 'fail', work: () => Promise<void>): Promise<void> {
  await database.admin.query(
    `create trigger ${name} after insert on outrider.ingest_runs for each statement execute function public.${name}()`,
  );
  try {
    await work();
  } finally {
    await database.admin.query(`drop trigger ${name} on outrider.ingest_runs`);
  }
}

describe('while the database is there', () => {
  it('the process is ready, if every service is', async () => {
    await using ingest = await openIngest(database.service);
    const ready = await request(`${ingest.url}/readyz`);
    expect(ready.status).toBe(200);
    expect(Readiness.parse(ready.body)).toEqual({
      ready: true,
      services: [
        { name: 'database', ok: true },
        { name: 'ingest', ok: true },
      ],
    });
  });

  it('the process is not ready while one of its services is not', async () => {
    const health = { ok: false, reason: 'it is drowsy' } as const;
    await using ingest = await openIngest(database.service, {
      health: () => [{ name: 'dispatcher', health }],
    });
    const ready = await request(`${ingest.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(ready.body['services']).toContainEqual({ name: 'dispatcher', ...health });
  });
});

describe('while the database is away', () => {
  it('nothing is accepted: a post, a file and a body that is none', async () => {
    await using nobody = await refusingPort();
    const url = `postgresql://x:y@127.0.0.1:${nobody.port}/nothing`;
    const pool = openPool({ url, applicationName: 'outrider test' });
    await using ingest = await openIngest(pool);
    expect(outcomeOf(await send(ingest, 'secret', post))).toEqual(unavailable);
    expect(outcomeOf(await send(ingest, 'secret', '{'))).toEqual(unavailable);
    expect(outcomeOf(await send(ingest, 'secret', 'x'.repeat(2 ** 20 + 1)))).toEqual(unavailable);
    const upload = { method: 'POST', headers: { 'x-outrider-secret': 'x' }, body: 'bytes' };
    expect(outcomeOf(await request(`${ingest.url}/v1/media`, upload))).toEqual(unavailable);
    expect(ingest.woken).toEqual([]);
    await pool.end();
  });

  it('the process is alive and not ready, and says why', async () => {
    await using nobody = await refusingPort();
    const url = `postgresql://x:y@127.0.0.1:${nobody.port}/nothing`;
    const pool = openPool({ url, applicationName: 'outrider test' });
    await using ingest = await openIngest(pool);
    expect((await request(`${ingest.url}/healthz`)).status).toBe(200);
    const ready = await request(`${ingest.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(ready.body).toEqual({
      ready: false,
      services: [
        {
          name: 'database',
          ok: false,
          reason: 'the database cannot be reached (ECONNREFUSED)',
        },
        { name: 'ingest', ok: true },
      ],
    });
    await pool.end();
  });

  it('a database that says nothing is not waited for', async () => {
    const silent = net.createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const url = `postgresql://x:y@127.0.0.1:${address.port}/nothing`;
    const pool = openPool({ url, applicationName: 'outrider test', connectTimeoutMs: 100 });
    await using ingest = await openIngest(pool, { patience: { databaseMs: 20 } });
    const { status, body } = await request(`${ingest.url}/readyz`);
    expect(status).toBe(503);
    expect(body['services']).toContainEqual({
      name: 'database',
      ok: false,
      reason: 'no answer within 20 ms',
    });
    expect(outcomeOf(await send(ingest, 'secret', post))).toEqual(unavailable);
    await pool.end();
    silent.close();
  });
});

describe('when a connection dies within a call', () => {
  it.each([
    ['a post', () => post],
    ['a post that is refused', () => ({ text: 7 })],
    ['a body that is none', () => '{'],
  ])('nothing of it is accepted, and the repeat is: %s', async (_title, body) => {
    const before = await checksums(database.admin);
    await withTrigger('crash', async () => {
      const reply = await push(database.service, body());
      expect(outcomeOf(reply)).toEqual(unavailable);
    });
    const after = await checksums(database.admin);
    // The pace of a body that is none was counted by a call of its own.
    expect({ ...after, endpoint_pace: '' }).toEqual({ ...before, endpoint_pace: '' });
    expect((await push(database.service)).status).toBe(202);
  });

  it('after the commit, the sender repeats itself and learns that it was taken', async () => {
    let isLost = true;
    const losing = overheard(database.service, (statement) => {
      if (isLost && statement.includes('ingest_push'))
        throw new Error('Connection terminated unexpectedly');
    });
    expect(outcomeOf(await push(losing))).toEqual(unavailable);
    isLost = false;
    const again = await push(losing);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ verdict: 'dedup_dropped' });
  });
});

describe('when the database', () => {
  it('takes too long over a post, that is said, and not that the database is away', async () => {
    const holder = await sessions.open(database.admin);
    await holder.client.query(
      'select from outrider.workspace_endpoints where workspace_id = $1 for update',
      [secretNow()],
    );
    const { url } = database;
    const pool = openPool({ url, applicationName: 'outrider test', statementTimeoutMs: 50 });
    expect(outcomeOf(await push(pool))).toEqual({
      status: 503,
      after: '60',
      code: 'took_too_long',
      message: expect.stringMatching(/took too long over this request.* nothing was accepted$/),
      hint: expect.not.stringContaining('send the same request again'),
    });
    await sessions.endAll();
    await pool.end();
  });

  it.each([
    ['the endpoint', 'push'],
    ['the message', null],
  ])('has %s held by a transaction, only who needs it is sent away', async (_title, endpointId) => {
    const workspaceId = secretNow();
    const other = `${workspaceId}-other`;
    const second = { endpoint_id: 'other', ingress_rps: 1000 };
    await addEndpoint(database.admin, workspaceId, other, second);
    const tenant = await database.connectAs({
      workspaces: [workspaceId],
      roles: ['outrider_ingest'],
    });
    const holder = await sessions.open(tenant);
    const held = { workspaceId, endpointId, kind: 'push', rawPayload: { text: 'Held' } } as const;
    await enqueueMessagesAndDeliveries(holder.client, held);
    const { url } = database;
    const pool = openPool({ url, applicationName: 'outrider test', lockTimeoutMs: 50 });
    await using ingest = await openIngest(pool);
    expect(outcomeOf(await send(ingest, workspaceId, { text: 'Held', tags: ['again'] }))).toEqual({
      status: 503,
      after: '1',
      code: 'locked',
      message: 'another transaction holds what this request needs, so nothing was accepted',
      hint: expect.stringContaining('send the same request again'),
    });
    expect((await send(ingest, other, { text: 'Lost' })).status).toBe(202);
    await holder.commit();
    expect((await send(ingest, workspaceId, { text: 'Held', tags: ['again'] })).status).toBe(202);
    await sessions.endAll();
    await pool.end();
  });

  it('fails, the sender learns nothing of its insides, and the log says what it was', async () => {
    await using ingest = await openIngest(database.service);
    await withTrigger('fail', async () => {
      const reply = await send(ingest, secretNow(), post);
      expect(reply.status).toBe(500);
      expect(refusalIn(reply)).toMatchObject({
        code: 'internal',
        message: 'something went wrong here; it has been logged',
      });
      expect(JSON.stringify(reply.body)).not.toMatch(/disk|trigger|outrider\.|s3cret|SQLSTATE/);
    });
    const failure = ingest.lines.find((line) => line.includes('a request failed'));
    expect(failure).toMatch(/"error":"disk 7 is full.*"sqlstate":"XX001"/);
    expect(ingest.lines.join('')).not.toContain('token=s3cret');
  });
});
