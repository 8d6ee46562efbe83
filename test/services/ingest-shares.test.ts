import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import type { IngestOptions } from '../../src/ingest/ingest.ts';
import { Refused } from '../../src/ingest/refusal.ts';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { begin, type Session } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { type Ingest, openIngest, refusalIn, send } from '../support/http/ingest.ts';
import { type RawSocket, sendRaw } from '../support/http/raw-socket.ts';
import { addEndpoint } from '../support/posts/intake.ts';

// Requests under way: bodies that have not come whole, calls of the database that have not ended.

const database = await useDatabase();
let secret: string;
let other: string;

beforeEach(async () => {
  [secret, other] = [database.newWorkspaceId(), database.newWorkspaceId()];
  for (const workspaceId of [secret, other]) {
    await addWorkspace(database.admin, workspaceId);
    await addChannel(database.admin, workspaceId, 'news');
    await addEndpoint(database.admin, workspaceId, workspaceId, { ingress_rps: 1000 });
  }
});

async function open(options: Partial<IngestOptions> = {}): Promise<Ingest> {
  return openIngest(database.service, options);
}

function head(given: string, length: number, more = ''): string {
  return (
    `POST /v1/ingest HTTP/1.1\r\nHost: 127.0.0.1\r\nx-outrider-secret: ${given}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`
  );
}

/** When what has come is a whole answer; each of them ends so. */
const isWhole = (text: string): boolean => text.endsWith('}');

async function answerOf(socket: RawSocket): Promise<{ status: number; code: string }> {
  const [answerHead = '', body = ''] = (await socket.until(isWhole)).split('\r\n\r\n').slice(-2);
  const code = body.includes('"error"') ? Refused.parse(JSON.parse(body)).error.code : 'none';
  return { status: Number(answerHead.split(' ')[1]), code };
}

/** The beginning of a post that the server has and waits for the end of. */
async function half(ingest: Ingest, given: string, length: number): Promise<RawSocket> {
  const socket = await sendRaw(ingest.url, head(given, length, 'Expect: 100-continue\r\n'));
  await socket.until((text) => text.includes('100 Continue'));
  const text = `{"text": "${'x'.repeat(length)}`;
  socket.write(text.slice(0, length - 2));
  return socket;
}

const rest = (socket: RawSocket): void => socket.write('"}');

describe('a body', () => {
  it('is not read from a stranger: the secret comes first', async () => {
    await using ingest = await open();
    const socket = await sendRaw(ingest.url, head('wrong', 2 ** 20, 'Expect: 100-continue\r\n'));
    expect(await answerOf(socket)).toEqual({ status: 401, code: 'unknown_secret' });
    expect(socket.text()).not.toContain('100 Continue');
    socket.destroy();
  });

  it('is no longer read under a secret that was found to be good no more', async () => {
    await using ingest = await open();
    const known = await half(ingest, secret, 100);
    await database.admin.query(
      'update outrider.workspace_endpoints set enabled = false where workspace_id = $1',
      [secret],
    );
    rest(known);
    expect(await answerOf(known)).toEqual({ status: 401, code: 'unknown_secret' });
    const again = await sendRaw(ingest.url, head(secret, 100, 'Expect: 100-continue\r\n'));
    expect(await answerOf(again)).toEqual({ status: 401, code: 'unknown_secret' });
    expect(again.text()).not.toContain('100 Continue');
    for (const each of [known, again]) each.destroy();
  });

  it.each([
    ['stops within', { silenceMs: 50 }],
    ['is slow with', { postMs: 50 }],
  ])('of a sender that %s it is waited for no longer', async (_title, patience) => {
    await using ingest = await open({ patience });
    const socket = await sendRaw(ingest.url, `${head(secret, 1000)}{`);
    expect(await answerOf(socket)).toEqual({ status: 408, code: 'request_timeout' });
    await socket.closed();
  });
});

describe('bytes of posts under way', () => {
  it('of one workspace are limited, and leave room when it has its answer', async () => {
    await using ingest = await open({ limits: { bytes: 1500, allBytes: 10_000 } });
    const first = await half(ingest, secret, 1000);
    const second = await sendRaw(ingest.url, `${head(secret, 1000)}{"text": "${'x'.repeat(900)}`);
    expect(await answerOf(second)).toEqual({ status: 429, code: 'workspace_busy' });
    const others = await half(ingest, other, 1000);
    for (const each of [first, others]) rest(each);
    for (const each of [first, others]) {
      expect(await answerOf(each)).toEqual({ status: 202, code: 'none' });
    }
    const third = await half(ingest, secret, 1200);
    rest(third);
    expect(await answerOf(third)).toEqual({ status: 202, code: 'none' });
    for (const each of [first, second, third, others]) each.destroy();
  });

  it('of all workspaces are limited, and leave room when a sender goes away', async () => {
    await using ingest = await open({ limits: { bytes: 1500, allBytes: 1500 } });
    const first = await half(ingest, secret, 1000);
    const second = await sendRaw(ingest.url, `${head(other, 1000)}{"text": "${'x'.repeat(900)}`);
    expect(await answerOf(second)).toEqual({ status: 503, code: 'overloaded' });
    expect(second.text().toLowerCase()).toContain('retry-after: 1');
    const gone = (): boolean => ingest.lines.some((line) => line.includes('the sender went away'));
    first.destroy();
    await expect.poll(gone).toBe(true);
    const third = await half(ingest, other, 1200);
    rest(third);
    expect(await answerOf(third)).toEqual({ status: 202, code: 'none' });
    for (const each of [second, third]) each.destroy();
  });
});

describe('requests under way', () => {
  it('of one workspace are limited, whichever of its endpoints they go to', async () => {
    await using ingest = await open({ limits: { requests: 2 } });
    const second = { endpoint_id: 'second', ingress_rps: 1000 };
    await addEndpoint(database.admin, secret, `${secret}-2`, second);
    const underWay = [await half(ingest, secret, 100), await half(ingest, `${secret}-2`, 110)];
    const beyond = await sendRaw(ingest.url, head(secret, 100));
    expect(await answerOf(beyond)).toEqual({ status: 429, code: 'workspace_busy' });
    expect(beyond.text().toLowerCase()).toContain('retry-after: 1');
    const others = await half(ingest, other, 100);
    for (const each of [...underWay, others]) {
      rest(each);
      expect(await answerOf(each)).toEqual({ status: 202, code: 'none' });
    }
    const next = await half(ingest, secret, 120);
    rest(next);
    expect(await answerOf(next)).toEqual({ status: 202, code: 'none' });
    for (const each of [...underWay, beyond, others, next]) each.destroy();
  });
});

describe('calls of the database', () => {
  const sessions = useSessions();

  async function holdEndpoint(): Promise<Session> {
    const holder = await sessions.open(database.admin);
    await holder.client.query(
      'select from outrider.workspace_endpoints where workspace_id = $1 for update',
      [secret],
    );
    return holder;
  }

  async function underWay(): Promise<number> {
    const { count: found } = await queryRow(
      database.admin,
      z.object({ count: z.number() }),
      `select count(*)::int from pg_stat_activity
       where datname = current_database() and state = 'active' and query like '%outrider.ingest_push%'
         and pid <> pg_backend_pid()`,
    );
    return found;
  }

  it('of one workspace are under way a few at a time; the others wait without a connection', async () => {
    await using ingest = await open({ limits: { calls: 2 } });
    const holder = await holdEndpoint();
    const posts = Array.from({ length: 6 }, (_, n) =>
      begin(send(ingest, secret, { text: `${n}` })),
    );
    await expect.poll(underWay).toBe(2);
    expect((await send(ingest, other, { text: 'Lost' })).status).toBe(202);
    expect(await underWay()).toBe(2);
    await holder.commit();
    for (const post of posts) expect((await post).status).toBe(202);
  });

  it('that do not come to their turn are given up', async () => {
    await using ingest = await open({ limits: { calls: 1, turnMs: 20 } });
    const holder = await holdEndpoint();
    const first = begin(send(ingest, secret, { text: 'first' }));
    await expect.poll(underWay).toBe(1);
    const second = await send(ingest, secret, { text: 'second' });
    expect(second.headers.get('retry-after')).toBe('1');
    expect(refusalIn(second)).toMatchObject({
      code: 'workspace_busy',
      message: 'other requests of the workspace keep the database busy, so nothing was accepted',
    });
    await holder.commit();
    expect((await first).status).toBe(202);
  });
});

describe('a server that stops', () => {
  it('lets a request under way end, and closes its connection', async () => {
    await using ingest = await open();
    const socket = await half(ingest, secret, 100);
    const stopped = ingest.stop();
    rest(socket);
    expect(await answerOf(socket)).toEqual({ status: 202, code: 'none' });
    expect(socket.text().toLowerCase()).toContain('connection: close');
    await stopped;
    await socket.closed();
  });

  it('does not wait without end', async () => {
    await using ingest = await open({ patience: { stopMs: 20 } });
    const socket = await half(ingest, secret, 100);
    await ingest.stop();
    await socket.closed();
    expect(socket.text()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  });
});
