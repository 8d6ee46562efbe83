import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  enqueueMessagesAndDeliveries,
  ingestPush,
  type Pushed,
  rejectIngress,
} from '../../src/db/intake.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { Post } from '../../src/ingest/post-schema.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { addEndpoint, hashOf } from '../support/posts/intake.ts';
import { rawPost } from '../support/posts/random-posts.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
  await addEndpoint(database.admin, workspaceId, workspaceId);
});

async function push(post: object, now = start, sizeBytes = 100): Promise<Pushed> {
  const secretHash = hashOf(workspaceId);
  const request = { secretHash, sizeBytes, rawPayload: JSON.stringify(post), traceId: null };
  return ingestPush(database.service, request, now);
}

async function counts(): Promise<Record<string, number>> {
  const rows = await queryRows(
    database.admin,
    z.object({ key: z.string(), sum: z.string() }),
    `select e.key, sum(e.value::integer) from outrider.ingest_runs r
     cross join lateral jsonb_each_text(r.stats_json) e
     where r.workspace_id = $1 and r.kind = 'push'
       and e.key in ('accepted', 'rate_limited', 'payload_rejected', 'dedup_dropped')
     group by e.key`,
    [workspaceId],
  );
  return Object.fromEntries(rows.map((row) => [row.key, Number(row.sum)]));
}

describe('ingest_push', () => {
  it('answers a post as the two calls do that it stands for', async () => {
    const pushed = await push({ text: 'Lost', source_ref: 'post-1' });
    expect(pushed).toMatchObject({ verdict: 'taken', workspaceId, endpointId: 'push' });
    const again = await enqueueMessagesAndDeliveries(
      database.service,
      {
        workspaceId,
        endpointId: 'push',
        kind: 'push',
        rawPayload: { text: 'Lost', source_ref: 'post-2' },
      },
      start,
    );
    expect(pushed.enqueued).toEqual({
      ...again,
      runId: expect.any(String),
      traceId: expect.any(String),
      seen: 'first',
      channels: [expect.objectContaining({ verdict: 'queued', channelId: 'news' })],
    });
    const repeat = await push({ text: 'Lost', source_ref: 'post-1' });
    expect(repeat).toMatchObject({ verdict: 'taken', enqueued: { verdict: 'dedup_dropped' } });
    expect(await counts()).toEqual({ accepted: 2, dedup_dropped: 1 });
  });

  it('keeps the count of the pace and the record of a post that it rejects', async () => {
    for (let n = 0; n < 5; n += 1) expect((await push({ text: 7 })).verdict).toBe('rejected');
    expect(await push({ text: 'Lost' })).toMatchObject({
      verdict: 'rate_limited',
      retryAfterMs: 200,
    });
    expect(await counts()).toEqual({ payload_rejected: 5, rate_limited: 1 });
    expect((await push({ text: 'Lost' }, after(1))).verdict).toBe('taken');
  });

  it('rejects with the reason, and takes no receipt', async () => {
    const rejected = await push({ text: 'Lost', txt: 1, source_ref: 'post-1' });
    expect(rejected).toMatchObject({
      verdict: 'rejected',
      reason: expect.stringMatching(/^a post cannot have "txt", only /),
      enqueued: null,
    });
    expect((await push({ text: 'Lost', source_ref: 'post-1' })).verdict).toBe('taken');
  });

  it('leaves to its caller what has media to be copied, and judges it first', async () => {
    const media = [{ type: 'image', url: 'https://example.org/a.png' }];
    const pushed = await push({ text: 'Lost', media });
    expect(pushed).toMatchObject({ verdict: 'admitted', workspaceId, runId: null, enqueued: null });
    expect((await push({ text: 7, media })).verdict).toBe('rejected');
    expect(await counts()).toEqual({ payload_rejected: 1 });
    const kept = [{ type: 'image', blob_ref: 'a', url: null }];
    expect((await push({ text: 'Lost', media: kept })).verdict).toBe('taken');
    expect((await push({ text: 'Found', media: null })).verdict).toBe('taken');
  });

  it('leaves to its caller what must be signed', async () => {
    await database.admin.query(
      "update outrider.workspace_endpoints set signing_secret_ref = 'env:KEY' where workspace_id = $1",
      [workspaceId],
    );
    const pushed = await push({ text: 'Lost' });
    expect(pushed).toMatchObject({ verdict: 'admitted', signingSecretRef: 'env:KEY' });
    expect(await counts()).toEqual({});
  });

  it('turns away at the gate before it looks at the post', async () => {
    expect(await push({ text: 7 }, start, 262_145)).toMatchObject({ verdict: 'payload_rejected' });
    await database.admin.query(
      'update outrider.workspace_endpoints set enabled = false where workspace_id = $1',
      [workspaceId],
    );
    expect(await push({ text: 7 })).toMatchObject({
      verdict: 'unknown_endpoint',
      workspaceId: null,
    });
    expect(await counts()).toEqual({ payload_rejected: 1 });
  });
});

describe('reject_ingress', () => {
  it('records the reason under a run of its own', async () => {
    const rejected = { workspaceId, endpointId: 'push', reason: 'it is not JSON' };
    const runId = await rejectIngress(database.service, rejected, start);
    const events = await queryRows(
      database.admin,
      z.object({ action: z.string(), meta: z.unknown() }),
      'select action::text, meta from outrider.events where workspace_id = $1',
      [workspaceId],
    );
    expect(events).toEqual([
      {
        action: 'ingress_payload_rejected',
        meta: { endpoint_id: 'push', run_id: runId, reason: 'it is not JSON' },
      },
    ]);
    expect(await counts()).toEqual({ payload_rejected: 1 });
  });

  it('knows the endpoints of the workspace only', async () => {
    const other = await addNewWorkspace(database);
    await addEndpoint(database.admin, other, other, { endpoint_id: 'other' });
    const rejected = { workspaceId, endpointId: 'other', reason: 'it is not JSON' };
    await expect(rejectIngress(database.service, rejected)).rejects.toMatchObject({
      sqlstate: 'OR002',
      message: `reject_ingress: workspace "${workspaceId}" has no endpoint "other"`,
    });
  });
});

describe('the schema of a post in openapi.json', () => {
  async function faultOf(post: unknown): Promise<string | null> {
    const [row] = await queryRows(
      database.admin,
      z.object({ fault: z.string().nullable() }),
      'select outrider.payload_fault($1::jsonb) as fault',
      [JSON.stringify(post)],
    );
    return row?.fault ?? null;
  }

  it('takes what the database takes', async () => {
    await fc.assert(
      fc.asyncProperty(rawPost, async (post) => {
        const asSent: unknown = JSON.parse(JSON.stringify(post));
        expect([await faultOf(asSent), Post.safeParse(asSent).success]).toEqual([null, true]);
      }),
      { numRuns: 200 },
    );
  });

  const medium = { type: 'image', url: 'https://example.org/a.png' };
  const button = { text: 'More', url: 'https://example.org' };
  const several = (length: number, value: unknown): unknown[] => Array(length).fill(value);

  it.each<[string, Record<string, unknown>]>([
    ['a key that it does not know', { txt: 'Lost' }],
    ['a text of 100,001 characters', { text: 'x'.repeat(100_001) }],
    ['a title of 1,001 characters', { title: 'x'.repeat(1001) }],
    ['an unknown markup', { parse_mode: 'html' }],
    ['21 links', { links: several(21, 'https://example.org') }],
    ['a long address', { url: `https://example.org/${'x'.repeat(2048)}` }],
    ['101 media', { media: several(101, medium) }],
    ['a medium of an unknown type', { media: [{ ...medium, type: 'smell' }] }],
    ['a medium in two places', { media: [{ ...medium, blob_ref: 'a' }] }],
    ['a medium in none', { media: [{ type: 'image' }] }],
    ['a medium with something else', { media: [{ ...medium, alt: 'A dog' }] }],
    ['a long caption', { media: [{ ...medium, caption: 'x'.repeat(4097) }] }],
    ['a long file name', { media: [{ ...medium, filename: 'x'.repeat(256) }] }],
    ['an empty blob_ref', { media: [{ type: 'image', blob_ref: '' }] }],
    ['11 rows of buttons', { buttons: several(11, [button]) }],
    ['an empty row of buttons', { buttons: [[]] }],
    ['four buttons in a row', { buttons: [several(4, button)] }],
    ['a button without words', { buttons: [[{ url: button.url }]] }],
    ['a button of 65 characters', { buttons: [[{ ...button, text: 'x'.repeat(65) }]] }],
    ['a field of another name', { fields: { 'Не имя': 'x' } }],
    ['a field that a template has', { fields: { title: 'x' } }],
    ['a field that is a list', { fields: { ages: [1, 2] } }],
    ['a long field', { fields: { age: 'x'.repeat(4097) } }],
    ['101 tags', { tags: several(101, 'dog') }],
    ['an empty tag', { tags: [''] }],
    ['a source that is a text', { source: 'rss' }],
    ['a long source_ref', { source_ref: 'x'.repeat(513) }],
    ['a trace_id that rings the bell', { trace_id: 'a\u0007' }],
    ['a trace_id that begins a sequence', { trace_id: '\u009b2J' }],
    ['a trace_id that turns the writing', { trace_id: 'a\u202eb' }],
    ['a long trace_id', { trace_id: 'x'.repeat(129) }],
    ['a preview that is a word', { disable_preview: 'yes' }],
  ])('refuses what the database refuses: %s', async (_title, fault) => {
    const post = { text: 'Lost', ...fault };
    expect(await faultOf(post)).not.toBeNull();
    expect(Post.safeParse(post).success).toBe(false);
  });

  it('takes null for absent, as the database does', async () => {
    const nothing = Object.fromEntries(Object.keys(Post.shape).map((key) => [key, null]));
    const post = { ...nothing, text: 'Lost' };
    expect([await faultOf(post), Post.safeParse(post).success]).toEqual([null, true]);
  });
});
