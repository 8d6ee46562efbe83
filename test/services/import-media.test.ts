import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { type Imported, importMedia } from '../../src/media/import-media.ts';
import {
  createMediaFetcher,
  type MediaFetcher,
  type NotFetched,
} from '../../src/media/media-fetcher.ts';
import { addNewWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type Origin,
  openStore,
  png,
  startOrigin,
  type TestStore,
} from '../support/http/media-origins.ts';
import { type Accepted, take } from '../support/posts/intake.ts';

const database = await useDatabase();
let kept: TestStore;
let fetcher: MediaFetcher;
let origin: Origin;
let stop: AbortController;
let workspaceId: string;

/** What the origin has, by path. */
const files: Readonly<Record<string, Uint8Array>> = {
  '/a.png': png,
  '/b.gif': Buffer.from('GIF89a of a cat'),
  '/c.mp4': Buffer.from('\0\0\0\x18ftypisom a film', 'latin1'),
  '/d.mp3': Buffer.from('ID3 a song'),
  '/e.webm': Buffer.from('\x1a\x45\xdf\xa3 a film', 'latin1'),
  '/page': Buffer.from('<!doctype html><title>Sign in</title>'),
  '/f.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  '/notes.txt': Buffer.from('plain words'),
  '/named': Buffer.concat([png, Buffer.from('other pixels')]),
};

beforeAll(async () => {
  origin = await startOrigin((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    if (path === '/named') {
      response.setHeader('content-disposition', `attachment; filename*=utf-8''%D1%91%D0%B6.png`);
    }
    const bytes = files[path];
    if (path === '/never') return;
    if (bytes === undefined) response.writeHead(path === '/busy' ? 503 : 404);
    response.end(bytes);
  });
});
afterAll(() => origin[Symbol.asyncDispose]());

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  kept = await openStore();
  stop = new AbortController();
  const privateHosts = [`127.0.0.1:${origin.port}`];
  fetcher = createMediaFetcher({ store: kept.store, maxBytes: 10_000, privateHosts });
});
afterEach(async () => {
  await fetcher.close();
  await kept[Symbol.asyncDispose]();
});

function importPost(post: unknown, through: MediaFetcher = fetcher): Promise<Imported> {
  return importMedia(
    { client: database.service, fetcher: through },
    workspaceId,
    post,
    stop.signal,
  );
}

async function recorded(): Promise<string[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ origin: z.string() }),
    `select concat_ws(' ', content_type, size_bytes) as origin
     from outrider.media_origin where workspace_id = $1 order by origin`,
    [workspaceId],
  );
  return rows.map((row) => row.origin);
}

const at = (path: string) => `${origin.url}${path}`;
const aBlob = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);

describe('the media of a post', () => {
  it('are copied and recorded, in their order and with all that they have', async () => {
    const post = {
      text: 'hello',
      tags: ['a'],
      media: [
        { type: 'photo', url: at('/a.png?token=s3cret'), caption: 'one' },
        { type: 'file', blob_ref: 'known', filename: 'k.bin' },
        { caption: 'two', type: 'gif', url: at('/b.gif'), filename: 'cat.gif' },
      ],
    };
    const before = structuredClone(post);
    const imported = await importPost(post);
    expect(imported).toEqual({
      ok: true,
      post: {
        text: 'hello',
        tags: ['a'],
        media: [
          { type: 'photo', blob_ref: aBlob, caption: 'one', filename: 'a.png' },
          { type: 'file', blob_ref: 'known', filename: 'k.bin' },
          { caption: 'two', type: 'gif', blob_ref: aBlob, filename: 'cat.gif' },
        ],
      },
    });
    expect(post).toEqual(before);
    expect(await recorded()).toEqual(['image/gif 15', `image/png ${png.byteLength}`]);
    expect(await kept.files()).toHaveLength(2);
  });

  it('are then taken in with the post', async () => {
    const media = [{ type: 'image', url: ` ${at('/a.png')}\u0085` }];
    const imported = await importPost({ text: 'hello', media });
    const accepted: Accepted | undefined = imported.ok
      ? await take(database.service, workspaceId, imported.post)
      : undefined;
    expect(accepted).toMatchObject({ seen: 'first' });
  });

  it('of one address are fetched once, and each item has them', async () => {
    const asked = origin.asked.length;
    const media = [
      { type: 'image', url: at('/a.png') },
      { type: 'document', url: at('/a.png'), filename: '' },
    ];
    expect(await importPost({ media })).toMatchObject({
      post: {
        media: [
          { type: 'image', blob_ref: aBlob, filename: 'a.png' },
          { type: 'document', blob_ref: aBlob, filename: 'a.png' },
        ],
      },
    });
    expect(origin.asked.slice(asked)).toEqual(['/a.png']);
  });

  it('are called as their server says, rather than as the address', async () => {
    const media = [{ type: 'image', url: at('/named'), blob_ref: null, filename: null }];
    const post = { media: [{ type: 'image', blob_ref: aBlob, filename: 'ёж.png' }] };
    expect(await importPost({ media })).toEqual({ ok: true, post });
  });

  it('are fetched at most four at once', async () => {
    let now = 0;
    let most = 0;
    const counting: MediaFetcher = {
      ...fetcher,
      async fetch(url, signal, fits) {
        now += 1;
        most = Math.max(most, now);
        const fetched = await fetcher.fetch(url, signal, fits);
        now -= 1;
        return fetched;
      },
    };
    const media = Array.from({ length: 12 }, (_, index) => ({
      type: 'image',
      url: at(`/a.png?${index}`),
    }));
    expect(await importPost({ media }, counting)).toMatchObject({ ok: true });
    expect(most).toBe(4);
  });
});

describe('what bytes are', () => {
  it.each([
    ['image', '/a.png'],
    ['image', '/b.gif'],
    ['animation', '/b.gif'],
    ['animation', '/c.mp4'],
    ['video', '/c.mp4'],
    ['video', '/e.webm'],
    ['audio', '/d.mp3'],
    ['file', '/a.png'],
    ['file', '/page'],
    ['document', '/f.svg'],
    ['file', '/notes.txt'],
  ])('fits type %s: %s', async (type, path) => {
    expect(await importPost({ media: [{ type, url: at(path) }] })).toMatchObject({ ok: true });
  });

  it.each([
    ['image', '/c.mp4', 'video/mp4'],
    ['image', '/page', 'text/html'],
    ['photo', '/f.svg', 'image/svg+xml'],
    ['image', '/notes.txt', 'bytes of no known type'],
    ['animation', '/a.png', 'image/png'],
    ['gif', '/e.webm', 'video/webm'],
    ['video', '/b.gif', 'image/gif'],
    ['video', '/page', 'text/html'],
    ['audio', '/c.mp4', 'video/mp4'],
  ])('does not fit type %s: %s', async (type, path, found) => {
    const media = [
      { type: 'file', url: at(path) },
      { type, url: at(path) },
    ];
    const host = `127.0.0.1:${origin.port}`;
    expect(await importPost({ media })).toEqual({
      ok: false,
      fault: {
        path: 'media[1].url',
        code: 'wrong_type',
        reason: `${host} sends ${found}, which is no ${type} that can be sent`,
        transient: false,
      },
    });
    expect([...(await kept.files()), ...(await recorded())]).toEqual([]);
  });
});

describe('a medium that cannot be fetched', () => {
  it.each([
    ['/gone?token=s3cret', { code: 'not_found', transient: false }],
    ['/busy?token=s3cret', { code: 'unavailable', transient: true }],
  ])('is the fault of the post, by its place: %s', async (path, fault) => {
    const media = [
      { type: 'image', url: at('/a.png') },
      { type: 'file', url: at(path) },
    ];
    const imported = await importPost({ media });
    expect(imported).toMatchObject({ ok: false, fault: { path: 'media[1].url', ...fault } });
    expect(JSON.stringify(imported)).not.toContain('s3cret');
  });

  it('leaves no bytes that are not recorded', async () => {
    const gone: NotFetched = { ok: false, code: 'not_found', reason: 'gone', transient: false };
    const first = Promise.withResolvers<void>();
    const ordered: MediaFetcher = {
      ...fetcher,
      async fetch(url, signal, fits) {
        if (url === 'http://gone.example/') return first.promise.then(() => gone);
        return fetcher.fetch(url, signal, fits).finally(first.resolve);
      },
    };
    const media = [
      { type: 'file', url: 'http://gone.example/' },
      { type: 'image', url: at('/a.png') },
    ];
    expect(await importPost({ media }, ordered)).toMatchObject({
      fault: { path: 'media[0].url', code: 'not_found' },
    });
    expect(await recorded()).toEqual([`image/png ${png.byteLength}`]);
    expect(await kept.files()).toHaveLength(1);
  });

  it('stops the fetches of the others, and no more are begun', async () => {
    const asked = origin.asked.length;
    const silent = ['/never', '/never?1', '/never?2', '/gone', '/a.png?3', '/a.png?4'];
    const media = silent.map((path) => ({ type: 'image', url: at(path) }));
    expect(await importPost({ media })).toMatchObject({
      fault: { path: 'media[3].url', code: 'not_found' },
    });
    expect(silent.slice(0, 4)).toEqual(expect.arrayContaining(origin.asked.slice(asked)));
  });

  it('is an error when it is the store that fails, and the others are stopped', async () => {
    const failing: MediaFetcher = {
      ...fetcher,
      fetch: (url, signal, fits) =>
        url.endsWith('.png')
          ? Promise.reject(new Error('no space left'))
          : fetcher.fetch(url, signal, fits),
    };
    const media = ['/never', '/a.png'].map((path) => ({ type: 'image', url: at(path) }));
    await expect(importPost({ media }, failing)).rejects.toThrow('no space left');
  });

  it('is not waited for when the import is stopped', async () => {
    const media = ['/never', '/never?1'].map((path) => ({ type: 'image', url: at(path) }));
    const asked = origin.asked.length;
    const importing = importPost({ media });
    await expect.poll(() => origin.asked.length).toBe(asked + 2);
    stop.abort();
    expect(await importing).toMatchObject({
      ok: false,
      fault: { code: 'aborted', transient: true },
    });
    expect(await kept.files()).toEqual([]);
  });
});

describe('a post that is not for the importer', () => {
  const image = () => ({ type: 'image', url: at('/a.png') });

  it.each<[string, () => unknown]>([
    ['null', () => null],
    ['a text', () => 'hello'],
    ['a list', () => [{ media: [image()] }]],
    ['no media', () => ({ text: 'hello' })],
    ['media that are no list', () => ({ media: image() })],
    ['an empty list', () => ({ media: [] })],
    ['only blobs', () => ({ media: [{ type: 'image', blob_ref: 'a' }] })],
    ['too many', () => ({ media: Array.from({ length: 101 }, image) })],
    ['an item that is no object', () => ({ media: [image(), 'a'] })],
    ['an item without a type', () => ({ media: [image(), { url: at('/a.png') }] })],
    ['an item of an unknown type', () => ({ media: [image(), { ...image(), type: 'hologram' }] })],
    ['an item of the type of an object', () => ({ media: [{ ...image(), type: 'constructor' }] })],
    ['an item without anything', () => ({ media: [image(), { type: 'image' }] })],
    ['an item with two', () => ({ media: [image(), { ...image(), blob_ref: 'a' }] })],
    ['an address that is none', () => ({ media: [image(), { type: 'image', url: 'ftp://a/' }] })],
    ['an address that is a number', () => ({ media: [image(), { type: 'image', url: 5 }] })],
    ['a long address', () => ({ media: [{ type: 'image', url: at(`/${'a'.repeat(2048)}`) }] })],
  ])('passes as it is: %s', async (_what, build) => {
    const asked = origin.asked.length;
    const post = build();
    expect(await importPost(post)).toEqual({ ok: true, post });
    expect(origin.asked).toHaveLength(asked);
  });
});
