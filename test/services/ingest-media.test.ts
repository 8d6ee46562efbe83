import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { Uploaded } from '../../src/ingest/answers.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import { createMediaFetcher } from '../../src/media/media-fetcher.ts';
import { addChannel, addNewWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useIngest } from '../support/fixtures/ingest.ts';
import {
  maxUploadBytes,
  openIngest,
  type Reply,
  refusalIn,
  request,
  send,
} from '../support/http/ingest.ts';
import { png, startOrigin } from '../support/http/media-origins.ts';
import { refusingPort } from '../support/http/raw-server.ts';
import { sendRaw } from '../support/http/raw-socket.ts';
import { addEndpoint } from '../support/posts/intake.ts';
import { runPrefix } from '../support/runner/run-folders.ts';

const database = await useDatabase();
const ingest = await useIngest(database);
let workspaceId: string;
let secret: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  secret = `s3cret-${workspaceId}`;
  ingest.woken.length = 0;
  await addChannel(database.admin, workspaceId, 'news');
  await addEndpoint(database.admin, workspaceId, secret, { ingress_rps: 1000 });
});

const refOf = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function upload(
  body: RequestInit['body'],
  headers: Record<string, string> = {},
): Promise<Reply> {
  return request(`${ingest.url}/v1/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, ...headers },
    body: body ?? null,
    duplex: 'half',
  });
}

const Origin = z.object({
  blob_ref: z.string(),
  origin_url: z.string(),
  content_type: z.string(),
  size_bytes: z.string(),
  ref_count: z.string(),
});

async function originsOf(workspace = workspaceId): Promise<z.output<typeof Origin>[]> {
  return queryRows(
    database.admin,
    Origin,
    `select blob_ref, origin_url, content_type, size_bytes, ref_count
     from outrider.media_origin where workspace_id = $1`,
    [workspace],
  );
}

async function rejections(): Promise<string[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ reason: z.string() }),
    `select meta ->> 'reason' as reason from outrider.events
     where workspace_id = $1 and action = 'ingress_payload_rejected'`,
    [workspaceId],
  );
  return rows.map(({ reason }) => reason);
}

async function messages(): Promise<number> {
  const row = await queryRow(
    database.admin,
    z.object({ count: z.string() }),
    'select count(*) from outrider.messages where workspace_id = $1',
    [workspaceId],
  );
  return Number(row.count);
}

async function repeatsOnRecord(): Promise<number> {
  const row = await queryRow(
    database.admin,
    z.object({ count: z.string() }),
    `select count(*) from outrider.events where workspace_id = $1 and action = 'ingress_dedup_dropped'`,
    [workspaceId],
  );
  return Number(row.count);
}

describe('a file', () => {
  it('is kept as it came, under the type that its bytes show', async () => {
    const reply = await upload(png, { 'content-type': 'text/plain' });
    expect(reply.status).toBe(201);
    expect(Uploaded.parse(reply.body)).toEqual({
      blob_ref: refOf(png),
      content_type: 'image/png',
      size_bytes: png.byteLength,
    });
    const [origin] = await originsOf();
    expect(origin).toMatchObject({ blob_ref: refOf(png), content_type: 'image/png' });
    const kept = await ingest.store.open(origin?.origin_url ?? '');
    expect(await buffer(kept ?? Readable.from([]))).toEqual(png);
  });

  it('is referred to by a post', async () => {
    const { body } = await upload(png);
    const media = [{ type: 'image', blob_ref: body['blob_ref'] }];
    expect((await send(ingest, secret, { text: 'Lost', media })).status).toBe(202);
    expect(await originsOf()).toMatchObject([{ ref_count: '1' }]);
  });

  it('comes in pieces of whatever number, with or without a declared length', async () => {
    const pieces = Array.from({ length: 50 }, (_, n) => Buffer.alloc(1000, n));
    const reply = await upload(ReadableStream.from(pieces));
    expect(reply.body).toMatchObject({
      blob_ref: refOf(Buffer.concat(pieces)),
      size_bytes: 50_000,
    });
  });

  it('belongs to the workspace of its secret', async () => {
    await upload(png);
    expect(await originsOf('w0')).toEqual([]);
  });

  it('is refused without a secret, with a wrong one and when it comes too fast', async () => {
    expect((await upload(png, { authorization: '' })).status).toBe(401);
    expect((await upload(png, { authorization: 'Bearer wrong' })).status).toBe(401);
    await database.admin.query(
      'update outrider.workspace_endpoints set ingress_rps = 0.1 where workspace_id = $1',
      [workspaceId],
    );
    expect((await upload(png)).status).toBe(201);
    expect((await upload(png)).status).toBe(429);
  });

  it.each([
    ['declared', (bytes: Buffer) => bytes],
    ['not declared', (bytes: Buffer) => ReadableStream.from([bytes.subarray(0, 10), bytes])],
  ])('is refused when it is too large, its length %s, and nothing is kept', async (_title, of) => {
    const reply = await upload(of(Buffer.alloc(maxUploadBytes + 1)));
    expect(reply.status).toBe(413);
    expect(refusalIn(reply)).toMatchObject({
      max_payload_bytes: maxUploadBytes,
      message: `the body is larger than ${maxUploadBytes} bytes (OUTRIDER_MEDIA_MAX_BYTES)`,
    });
    expect(await rejections()).toHaveLength(1);
    expect(await originsOf()).toEqual([]);
  });

  it('may be larger than a post', async () => {
    await database.admin.query(
      'update outrider.workspace_endpoints set max_payload_bytes = 10 where workspace_id = $1',
      [workspaceId],
    );
    expect((await upload(Buffer.alloc(maxUploadBytes))).status).toBe(201);
  });

  it('is refused when it is packed: nobody could show its bytes', async () => {
    const reply = await upload(gzipSync(png), { 'content-encoding': 'gzip' });
    expect([reply.status, refusalIn(reply).code]).toEqual([415, 'unsupported_media_type']);
    expect(await rejections()).toHaveLength(1);
    expect(await originsOf()).toEqual([]);
    expect((await upload(png, { 'content-encoding': 'identity' })).status).toBe(201);
  });

  it('is refused when it is empty', async () => {
    const reply = await upload('');
    expect([reply.status, refusalIn(reply).code]).toEqual([422, 'upload_refused']);
    expect(await originsOf()).toEqual([]);
  });

  it('is asked for only when it will be taken', async () => {
    const head = (given: string): string =>
      `POST /v1/media HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nx-outrider-secret: ${given}\r\nContent-Length: 4\r\n\r\n`;
    const wanted = await sendRaw(ingest.url, head(secret));
    expect(await wanted.until((text) => text.includes('\r\n\r\n'))).toBe(
      'HTTP/1.1 100 Continue\r\n\r\n',
    );
    wanted.destroy();
    const unwanted = await sendRaw(ingest.url, head('wrong'));
    expect(await unwanted.until((text) => text.includes('}'))).toMatch(/^HTTP\/1\.1 401 /);
    await unwanted.closed();
  });

  it('leaves nothing when its sender goes away', async () => {
    const head = `POST /v1/media HTTP/1.1\r\nHost: x\r\nx-outrider-secret: ${secret}\r\nContent-Length: 1000\r\n\r\nhalf`;
    const socket = await sendRaw(ingest.url, head);
    const gone = (): boolean => ingest.lines.some((line) => line.includes('the sender went away'));
    socket.destroy();
    await expect.poll(gone).toBe(true);
    expect(await originsOf()).toEqual([]);
  });
});

describe('a form', () => {
  const formOf = (...files: readonly [string, Uint8Array][]): FormData => {
    const form = new FormData();
    form.append('album', 'pets');
    for (const [name, bytes] of files) form.append('file', new Blob([Buffer.from(bytes)]), name);
    form.append('note', 'x'.repeat(5000));
    return form;
  };

  it('with one file is that file', async () => {
    const reply = await upload(formOf(['bim.png', png]));
    expect(reply.status).toBe(201);
    expect(Uploaded.parse(reply.body)).toEqual({
      blob_ref: refOf(png),
      content_type: 'image/png',
      size_bytes: png.byteLength,
    });
    const [origin] = await originsOf();
    const bytes = await ingest.store.open(origin?.origin_url ?? '');
    expect(bytes && (await buffer(bytes))).toEqual(png);
  });

  it('may be a little larger than the largest file', async () => {
    expect((await upload(formOf(['a', Buffer.alloc(maxUploadBytes)]))).status).toBe(201);
    const reply = await upload(formOf(['a', Buffer.alloc(maxUploadBytes + 1)]));
    expect([reply.status, refusalIn(reply).code]).toEqual([413, 'payload_too_large']);
  });

  const boundary = { 'content-type': 'multipart/form-data; boundary=b' };
  const opening = '--b\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\n';

  it.each<[string, () => FormData | string, Record<string, string>, string]>([
    ['no file', () => formOf(), {}, 'the form has no file'],
    [
      'several files',
      () => formOf(['a', png], ['b', png]),
      {},
      'the form has several files; send them one by one',
    ],
    ['an empty file', () => formOf(['a', Buffer.alloc(0)]), {}, 'the file is empty'],
    [
      'no boundary',
      () => 'x',
      { 'content-type': 'multipart/form-data' },
      'the form cannot be read: it has no boundary, or it breaks off',
    ],
    [
      'no end',
      () => `${opening}GIF89a`,
      boundary,
      'the form cannot be read: it has no boundary, or it breaks off',
    ],
    [
      'nothing of a form',
      () => 'GIF89a',
      boundary,
      'the form cannot be read: it has no boundary, or it breaks off',
    ],
  ])('is refused that has %s, and nothing is kept', async (_title, form, headers, message) => {
    const reply = await upload(form(), headers);
    expect(reply.status).toBe(422);
    expect(refusalIn(reply)).toMatchObject({ code: 'upload_refused', message });
    expect(await rejections()).toEqual([message]);
    expect(await originsOf()).toEqual([]);
  });

  it('leaves nothing when its sender goes away', async () => {
    const head = `POST /v1/media HTTP/1.1\r\nHost: x\r\nx-outrider-secret: ${secret}\r\nContent-Type: ${boundary['content-type']}\r\nContent-Length: 1000\r\n\r\n`;
    ingest.lines.length = 0;
    const socket = await sendRaw(ingest.url, `${head}${opening}half`);
    const gone = (): boolean => ingest.lines.some((line) => line.includes('the sender went away'));
    socket.destroy();
    await expect.poll(gone).toBe(true);
    expect(await originsOf()).toEqual([]);
  });
});

describe('a media folder that is full', () => {
  /** As the file system says it. */
  const full = async (): Promise<never> => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };

  it('is nothing that the sender has done: it sends the same later', async () => {
    await using origin = await startOrigin();
    const store = { ...ingest.store, put: full };
    const fetcher = createMediaFetcher({ store, maxBytes: 1000, privateHosts: ['127.0.0.1'] });
    await using other = await openIngest(database.service, { store, fetcher });
    const headers = { authorization: `Bearer ${secret}` };
    const media = [{ type: 'image', url: `${origin.url}/a.png` }];
    const replies = [
      await request(`${other.url}/v1/media`, { method: 'POST', headers, body: png }),
      await send(other, secret, { text: 'Lost', media }),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(503);
      expect(reply.headers.get('retry-after')).toBe('60');
      expect(refusalIn(reply).code).toBe('storage_full');
    }
    expect([await originsOf(), await messages()]).toEqual([[], 0]);
    await fetcher.close();
  });
});

describe('a media folder that cannot be written to', () => {
  it('is refused when the service starts', async () => {
    const store = folderStore('/dev/null/media');
    await expect(openIngest(database.service, { store })).rejects.toMatchObject({
      code: 'store_away',
      message: expect.stringMatching(
        /^media cannot be kept in \/dev\/null\/media: there is a file where/,
      ),
      hint: expect.stringContaining('OUTRIDER_DATA_DIR'),
    });
  });

  it('is answered like a full one when it is lost later, and the log names it', async () => {
    await using origin = await startOrigin();
    const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
    const store = folderStore(folder);
    const fetcher = createMediaFetcher({ store, maxBytes: 1000, privateHosts: ['127.0.0.1'] });
    await using other = await openIngest(database.service, { store, fetcher });
    await rm(folder, { recursive: true });
    await writeFile(folder, 'no folder any more');
    const headers = { authorization: `Bearer ${secret}` };
    const media = [{ type: 'image', url: `${origin.url}/a.png` }];
    const replies = [
      await request(`${other.url}/v1/media`, { method: 'POST', headers, body: png }),
      await send(other, secret, { text: 'Lost', media }),
    ];
    for (const reply of replies) {
      expect(reply.status).toBe(503);
      expect(reply.headers.get('retry-after')).toBe('60');
      expect(refusalIn(reply).code).toBe('storage_unavailable');
      expect(JSON.stringify(reply.body)).not.toContain(folder);
    }
    const faults = other.lines.filter((line) => line.includes('a request failed'));
    expect(faults).toHaveLength(2);
    for (const line of faults) {
      expect(JSON.parse(line)).toMatchObject({
        error: `media cannot be kept in ${folder}: there is a file where a folder must be (EEXIST)`,
        hint: expect.stringContaining('OUTRIDER_DATA_DIR'),
      });
    }
    expect([await originsOf(), await messages()]).toEqual([[], 0]);
    await fetcher.close();
    await rm(folder);
  });
});

describe('media at a private address', () => {
  it('are refused; the log alone says how they could be fetched', async () => {
    await using origin = await startOrigin();
    const fetcher = createMediaFetcher({ store: ingest.store, maxBytes: 1000 });
    await using other = await openIngest(database.service, { fetcher });
    const media = [{ type: 'image', url: `${origin.url}/a.png` }];
    const reply = await send(other, secret, { text: 'Lost', media });
    expect(refusalIn(reply)).toMatchObject({ code: 'media_refused', path: 'media[0].url' });
    expect(JSON.stringify(reply.body)).not.toContain('OUTRIDER_');
    const told = other.lines.filter((line) => line.includes('OUTRIDER_MEDIA_PRIVATE_HOSTS'));
    expect(told).toHaveLength(1);
    await fetcher.close();
  });

  it('that no setting allows are refused without a word about settings', async () => {
    await using origin = await startOrigin((_request, response) =>
      response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    );
    const media = [{ type: 'image', url: `${origin.url}/a.png` }];
    const reply = await send(ingest, secret, { text: 'Lost', media });
    expect(refusalIn(reply)).toMatchObject({
      code: 'media_refused',
      message: expect.stringMatching(/ redirects, and only http and https addresses are fetched$/),
    });
    expect(ingest.lines.join('')).not.toContain('OUTRIDER_MEDIA_PRIVATE_HOSTS');
  });
});

describe('media that a post names by address', () => {
  const postWith = (...urls: string[]): object => ({
    text: 'Lost',
    fields: { id: Number.MAX_SAFE_INTEGER },
    media: urls.map((url) => ({ type: 'image', url })),
  });

  it('are copied before the post is taken', async () => {
    await using origin = await startOrigin();
    const text = JSON.stringify(postWith(`${origin.url}/a.png`)).replace(
      String(Number.MAX_SAFE_INTEGER),
      '12345678901234567890',
    );
    const reply = await send(ingest, secret, text, { 'x-request-id': 'trace-7' });
    expect(reply.status).toBe(202);
    expect(reply.body['trace_id']).toBe('trace-7');
    expect(ingest.woken).toEqual([workspaceId]);
    const { payload } = await queryRow(
      database.admin,
      z.object({ payload: z.unknown() }),
      'select payload from outrider.messages where workspace_id = $1',
      [workspaceId],
    );
    expect(payload).toMatchObject({
      fields: { id: '12345678901234567890' },
      media: [{ type: 'image', blob_ref: refOf(png) }],
    });
    expect(await originsOf()).toMatchObject([{ ref_count: '1' }]);
  });

  it.each([
    { title: 'with the same source_ref', more: { source_ref: 'ad-7' }, again: { text: 'Found' } },
    { title: 'within the window of its endpoint', more: {}, again: {} },
  ])('are not fetched again for a repeat $title', async ({ more, again }) => {
    await using origin = await startOrigin();
    const post = { ...postWith(`${origin.url}/a.png`, `${origin.url}/b.png`), ...more };
    const [first, second] = [
      await send(ingest, secret, post, { 'x-request-id': 'one' }),
      await send(ingest, secret, { ...post, ...again }, { 'x-request-id': 'two' }),
    ];
    expect([first.body['verdict'], second.body['verdict']]).toEqual(['accepted', 'dedup_dropped']);
    expect(origin.asked).toHaveLength(2);
    expect(await messages()).toBe(1);
    expect(await repeatsOnRecord()).toBe(1);
  });

  it('are fetched for another post with the same links, and again when the window is over', async () => {
    await using origin = await startOrigin();
    const post = postWith(`${origin.url}/a.png`);
    await send(ingest, secret, post);
    expect((await send(ingest, secret, { ...post, text: 'Found' })).status).toBe(202);
    expect(origin.asked).toHaveLength(2);
    await database.admin.query(
      `update outrider.ingress_receipts set received_at = received_at - interval '1 hour'
       where workspace_id = $1`,
      [workspaceId],
    );
    expect((await send(ingest, secret, post)).body['verdict']).toBe('accepted');
    expect(origin.asked).toHaveLength(3);
  });

  it('are not asked for when the post is refused, or not let in', async () => {
    await using origin = await startOrigin();
    const post = postWith(origin.url);
    expect((await send(ingest, secret, { ...post, text: 7 })).status).toBe(422);
    expect((await send(ingest, 'wrong', post)).status).toBe(401);
    expect(origin.asked).toEqual([]);
  });

  it('are refused with their place when they cannot be fetched', async () => {
    await using origin = await startOrigin((_request, response) => {
      response.writeHead(404).end();
    });
    const reply = await send(ingest, secret, postWith(`${origin.url}/a.png`));
    expect(reply.status).toBe(422);
    expect(refusalIn(reply)).toMatchObject({
      code: 'media_refused',
      path: 'media[0].url',
      message: expect.stringContaining('404'),
    });
    expect(await rejections()).toEqual([`media[0].url: ${refusalIn(reply).message}`]);
    expect(await messages()).toBe(0);
  });

  it('are asked for again later when their server fails', async () => {
    await using nobody = await refusingPort();
    const reply = await send(ingest, secret, postWith(`http://127.0.0.1:${nobody.port}/a.png`));
    expect(reply.status).toBe(502);
    expect(reply.headers.get('retry-after')).toBe('30');
    expect(refusalIn(reply)).toMatchObject({ code: 'media_unavailable', path: 'media[0].url' });
    expect([await messages(), ingest.woken]).toEqual([0, []]);
  });

  it('are no longer waited for when the server has stopped', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    await using origin = await startOrigin(() => asked());
    await using other = await openIngest(database.service, { patience: { stopMs: 1 } });
    const sent = send(other, secret, postWith(`${origin.url}/a.png`)).catch(() => undefined);
    await isAsked;
    await other.stop();
    await sent;
    await expect.poll(() => origin.openConnections()).toBe(0);
    expect(await messages()).toBe(0);
  });

  it('are no longer waited for when the sender has gone', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    await using origin = await startOrigin(() => asked());
    const stop = new AbortController();
    const sent = fetch(`${ingest.url}/v1/ingest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-outrider-secret': secret },
      body: JSON.stringify(postWith(`${origin.url}/a.png`)),
      signal: stop.signal,
    }).catch(() => undefined);
    await isAsked;
    stop.abort();
    await sent;
    await expect.poll(() => origin.openConnections()).toBe(0);
    expect(await messages()).toBe(0);
  });

  it('are not taken for an endpoint that was closed meanwhile', async () => {
    await using origin = await startOrigin((_request, response) => {
      const disable =
        'update outrider.workspace_endpoints set enabled = false where workspace_id = $1';
      void database.admin.query(disable, [workspaceId]).then(() => response.end(png));
    });
    const reply = await send(ingest, secret, postWith(`${origin.url}/a.png`));
    expect([reply.status, refusalIn(reply).code]).toEqual([403, 'endpoint_closed']);
    expect(await messages()).toBe(0);
  });
});
