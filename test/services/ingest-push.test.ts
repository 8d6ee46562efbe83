import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { Accepted, Repeated } from '../../src/ingest/answers.ts';
import { addChannel, addNewWorkspace, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useIngest } from '../support/fixtures/ingest.ts';
import { openIngest, overheard, type Reply, refusalIn, send } from '../support/http/ingest.ts';
import { addEndpoint, deliveriesOf } from '../support/posts/intake.ts';

const database = await useDatabase();
const ingest = await useIngest(database);
let workspaceId: string;
let secret: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  secret = `s3cret-${workspaceId}`;
  ingest.woken.length = 0;
  ingest.lines.length = 0;
  await addChannel(database.admin, workspaceId, 'news');
  await addChannel(database.admin, workspaceId, 'cats', {
    route_filter: '{"include_any":["cat"]}',
  });
  await addEndpoint(database.admin, workspaceId, secret, { ingress_rps: 1000 });
});

async function push(post: unknown, headers: Record<string, string> = {}): Promise<Reply> {
  return send(ingest, secret, post, headers);
}

async function alter(columns: string): Promise<void> {
  await database.admin.query(
    `update outrider.workspace_endpoints set ${columns} where workspace_id = $1`,
    [workspaceId],
  );
}

async function countOf(table: string): Promise<number> {
  const row = await queryRow(
    database.admin,
    z.object({ count: z.string() }),
    `select count(*) from outrider.${table} where workspace_id = $1`,
    [workspaceId],
  );
  return Number(row.count);
}

async function eventsOf(): Promise<string[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ action: z.string() }),
    'select action::text from outrider.events where workspace_id = $1 order by ts, id',
    [workspaceId],
  );
  return rows.map((row) => row.action);
}

describe('a post', () => {
  it('is accepted once it is committed, with the verdict on every channel', async () => {
    const { status, body, headers } = await push({ text: 'Lost: a ginger dog' });
    expect(status).toBe(202);
    expect(headers.get('cache-control')).toBe('no-store');
    const [delivery] = await deliveriesOf(database.admin, workspaceId);
    expect(Accepted.parse(body)).toEqual({
      verdict: 'accepted',
      run_id: expect.any(String),
      message_id: expect.any(String),
      trace_id: delivery?.trace_id,
      seen: 'first',
      channels: [
        { channel_id: 'cats', verdict: 'not_routed', rule: 'include_any' },
        {
          channel_id: 'news',
          verdict: 'queued',
          delivery_id: expect.any(String),
          not_before: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        },
      ],
    });
  });

  it('wakes whoever sends, once, and only if something is queued', async () => {
    await push({ text: 'Lost: a ginger dog' });
    expect(ingest.woken).toEqual([workspaceId]);
    await push({ text: 'Lost: a ginger dog', tags: ['again'] });
    await database.admin.query(
      'update outrider.channels set enabled = false where workspace_id = $1',
      [workspaceId],
    );
    await push({ text: 'Lost: another dog' });
    expect(ingest.woken).toEqual([workspaceId]);
  });

  it('says why a channel refuses it or has it already', async () => {
    await push({ text: 'Lost: a ginger dog', source_ref: '1' });
    const again = await push({ text: 'Lost: a ginger dog', source_ref: '2' });
    const broken = await push({ text: '<b>Lost', parse_mode: 'HTML', source_ref: '3' });
    expect(Accepted.parse(again.body)).toMatchObject({
      seen: 'before',
      channels: [{}, { verdict: 'deduped', because: 'inflight', until: null }],
    });
    expect(Accepted.parse(broken.body)).toMatchObject({
      channels: [{}, { verdict: 'validation_failed', reason: expect.stringContaining('b') }],
    });
  });

  it('comes with its secret in either header, and to the workspace of the secret alone', async () => {
    await addWorkspace(database.admin, `${workspaceId}-other`);
    const post = { text: 'Lost', workspace_id: `${workspaceId}-other` };
    const { status } = await send(ingest, undefined, post, { 'x-outrider-secret': secret });
    expect(status).toBe(202);
    expect(await countOf('messages')).toBe(1);
    // Basic is for a proxy in front.
    const both = { authorization: 'Basic eDp5', 'x-outrider-secret': secret };
    expect((await push({ text: 'Found' }, both)).status).toBe(202);
  });

  it('has a secret that is compared byte by byte, whatever its characters', async () => {
    await addEndpoint(database.admin, workspaceId, 'пароль', { endpoint_id: 'other' });
    const asSent = Buffer.from('пароль').toString('latin1');
    const headers = { 'x-outrider-secret': asSent };
    expect((await send(ingest, undefined, { text: 'Lost' }, headers)).status).toBe(202);
  });

  it('keeps numbers that JavaScript would change', async () => {
    await push(
      '{"text": "Lost", "fields": {"id": 12345678901234567890, "share": 0.3000000000000000001}}',
    );
    const row = await queryRow(
      database.admin,
      z.object({ fields: z.record(z.string(), z.string()) }),
      "select payload -> 'fields' as fields from outrider.messages where workspace_id = $1",
      [workspaceId],
    );
    expect(row.fields).toEqual({ id: '12345678901234567890', share: '0.3000000000000000001' });
  });

  it.each([
    ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['x-request-id', '0af7651916cd43dd8448eb211c80319c'],
  ])('is traced by the %s of its request', async (header, value) => {
    const { body, headers } = await push({ text: 'Lost' }, { [header]: value });
    expect(body['trace_id']).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(headers.get('x-request-id')).toBe(header === 'x-request-id' ? value : null);
  });

  it('is traced by its own trace_id if it has one', async () => {
    const { body } = await push({ text: 'Lost', trace_id: 'mine' }, { 'x-request-id': 'other' });
    expect(body['trace_id']).toBe('mine');
    const none = await push({ text: 'Found', trace_id: null }, { 'x-request-id': 'other' });
    expect(none.body['trace_id']).toBe('other');
  });

  it('takes one call of the database, once its secret is known', async () => {
    const calls: string[] = [];
    const counted = overheard(database.service, (statement) => calls.push(statement));
    await using other = await openIngest(counted);
    expect((await send(other, secret, { text: 'Lost' })).status).toBe(202);
    expect(calls.splice(0)[0]).toBe('select * from outrider.find_endpoint($1, $2)');
    expect((await send(other, secret, { text: 'Found' })).status).toBe(202);
    expect(calls).toEqual(['select * from outrider.ingest_push($1, $2, $3, $4, $5)']);
  });
});

describe('a repeat', () => {
  it('is told when the first one came, and leaves nothing but the record', async () => {
    const first = await push({ text: 'Lost', source_ref: 'post-1' });
    const second = await push({ text: 'Other words', source_ref: 'post-1' });
    expect([first.status, second.status]).toEqual([202, 200]);
    const { run_id, received_at } = Repeated.parse(second.body);
    expect(Date.parse(received_at)).toBeLessThanOrEqual(Date.now());
    expect(run_id).not.toBe(first.body['run_id']);
    expect(await countOf('messages')).toBe(1);
    expect(await eventsOf()).toEqual(['enqueue', 'ingress_dedup_dropped']);
    expect(ingest.woken).toHaveLength(1);
  });

  it('of fifty at once leaves one message, whether they have a source_ref or not', async () => {
    for (const post of [{ text: 'Lost', source_ref: 'post-1' }, { text: 'Found' }]) {
      const replies = await Promise.all(Array.from({ length: 50 }, () => push(post)));
      const statuses = replies.map(({ status }) => status);
      expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array(49).fill(200), 202]);
    }
    expect(await countOf('messages')).toBe(2);
    expect(await countOf('deliveries')).toBe(2);
    expect(await countOf('ingress_receipts')).toBe(2);
  });

  it('of fifty at once to as many endpoints leaves one message and one delivery', async () => {
    const secrets = Array.from({ length: 50 }, (_, n) => `${secret}-${n}`);
    for (const each of secrets) {
      await addEndpoint(database.admin, workspaceId, each, { endpoint_id: each });
    }
    const replies = await Promise.all(secrets.map((each) => send(ingest, each, { text: 'Lost' })));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]));
    expect([await countOf('messages'), await countOf('deliveries')]).toEqual([1, 1]);
    expect(ingest.woken).toEqual([workspaceId]);
  });
});

describe('the gate', () => {
  it.each([
    ['no secret', {}],
    ['an empty secret', { 'x-outrider-secret': '' }],
    ['another scheme', { authorization: 'Basic eDp5' }],
  ])('turns away %s, and says how to send one', async (_title, headers) => {
    const reply = await send(ingest, undefined, '{', headers);
    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe('Bearer realm="outrider"');
    expect(refusalIn(reply)).toMatchObject({
      code: 'missing_secret',
      hint: expect.stringContaining('authorization: Bearer'),
    });
  });

  it('turns away a secret that no endpoint has, whatever is in the body', async () => {
    for (const body of [{ text: 'Lost' }, '{', 'x'.repeat(2 ** 20 + 1), { text: 7 }]) {
      const reply = await send(ingest, 'wrong', body);
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toContain('error="invalid_token"');
      expect(refusalIn(reply).code).toBe('unknown_secret');
    }
  });

  it('turns away the secret of a bot', async () => {
    await addEndpoint(database.admin, workspaceId, 'bot', {
      endpoint_id: 'b',
      kind: 'bot_webhook',
    });
    expect((await send(ingest, 'bot', { text: 'Lost' })).status).toBe(401);
  });

  it('is closed while the workspace is disabled', async () => {
    await database.admin.query(
      "update outrider.workspaces set status = 'disabled' where workspace_id = $1",
      [workspaceId],
    );
    const reply = await push({ text: 'Lost' });
    expect(reply.status).toBe(403);
    expect(refusalIn(reply).code).toBe('workspace_disabled');
  });

  it('says in whole seconds when the next request may come', async () => {
    await alter('ingress_rps = 0.1');
    expect((await push({ text: 'Lost' })).status).toBe(202);
    const reply = await push({ text: 'Found' });
    expect(reply.status).toBe(429);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(5);
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refusalIn(reply).code).toBe('rate_limited');
    expect(reply.body['run_id']).toEqual(expect.any(String));
    expect(await eventsOf()).toEqual(['enqueue', 'ingress_rate_limited']);
  });

  it('counts posts that are refused for what they say', async () => {
    await alter('ingress_rps = 0.1');
    expect((await push({ text: 7 })).status).toBe(422);
    expect((await push({ text: 'Found' })).status).toBe(429);
  });
});
