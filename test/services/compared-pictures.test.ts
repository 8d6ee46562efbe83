import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { enqueuePost, withCopiedMedia } from '../../src/ingest/enqueue-post.ts';
import { createMediaFetcher, type MediaFetcher } from '../../src/media/media-fetcher.ts';
import { addChannel, addNewWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type Origin,
  openStore,
  startOrigin,
  type TestStore,
} from '../support/http/media-origins.ts';

const database = await useDatabase();
const files = new Map<string, Uint8Array>([
  ['/broken.png', Buffer.from('89504e470d0a1a0a', 'hex')],
]);
let origin: Origin;
let kept: TestStore;
let fetcher: MediaFetcher;
let workspaceId: string;

beforeAll(async () => {
  const grain = Buffer.from(Array.from({ length: 108 }, (_, n) => (n * n * 37 + n * 91) % 256));
  const photo = await sharp(grain, { raw: { width: 12, height: 9, channels: 1 } })
    .resize(640, 480)
    .png()
    .toBuffer();
  files.set('/dog.png', photo);
  files.set('/again.jpg', await sharp(photo).resize(300).jpeg({ quality: 60 }).toBuffer());
  files.set('/other.png', await sharp(photo).flop().negate().flip().png().toBuffer());
  origin = await startOrigin((request, response) => {
    response.end(files.get(request.url ?? ''));
  });
});
afterAll(() => origin[Symbol.asyncDispose]());

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  kept = await openStore();
  const privateHosts = [`127.0.0.1:${origin.port}`];
  fetcher = createMediaFetcher({ store: kept.store, maxBytes: 1_000_000, privateHosts });
});
afterEach(async () => {
  await fetcher.close();
  await kept[Symbol.asyncDispose]();
});

async function verdictOn(path: string, text?: string) {
  const media = [{ type: 'image', url: `${origin.url}${path}` }];
  const context = { client: database.service, fetcher };
  const post = { media, ...(text === undefined ? {} : { text }) };
  const { signal } = new AbortController();
  const copied = await withCopiedMedia(context, workspaceId, post, signal);
  return (await enqueuePost(context, workspaceId, copied)).channels[0];
}

async function hashes(): Promise<number> {
  const found = await queryRows(
    database.admin,
    z.object({ hashed: z.number() }),
    `select count(picture_hash)::integer as hashed from outrider.media_origin where workspace_id = $1`,
    [workspaceId],
  );
  return found[0]?.hashed ?? 0;
}

describe('a picture', () => {
  it('that a channel has shown is known again when it was made smaller and saved anew; another is not', async () => {
    const settings = { similar: { pictures: true } };
    await addChannel(database.admin, workspaceId, 'news', { settings });
    expect(await verdictOn('/dog.png')).toMatchObject({ verdict: 'queued' });
    expect(await verdictOn('/other.png')).toMatchObject({ verdict: 'queued' });
    expect(await verdictOn('/again.jpg')).toMatchObject({
      verdict: 'deduped',
      because: 'similar',
    });
    expect(await hashes()).toBe(3);
  });

  it('is not looked at where no channel compares pictures', async () => {
    await addChannel(database.admin, workspaceId, 'news', { settings: { similar: {} } });
    await verdictOn('/dog.png');
    expect(await verdictOn('/again.jpg')).toMatchObject({ verdict: 'queued' });
    expect(await hashes()).toBe(0);
  });

  it('comes in without being compared when it cannot be decoded', async () => {
    const settings = { similar: { pictures: true } };
    await addChannel(database.admin, workspaceId, 'news', { settings });
    expect(await verdictOn('/broken.png', 'Lost')).toMatchObject({ verdict: 'queued' });
    expect(await hashes()).toBe(0);
  });
});
