import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import { createStoreFacts } from '../../src/monitor/store-facts.ts';
import { openStores, type Stores } from '../../src/roles/configured-stores.ts';
import { createSecrets } from '../../src/secrets.ts';
import { chunks, contents } from '../media/store-conformance.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { accessKeyId, bucketName, secretKey, startS3 } from '../support/http/s3-server.ts';
import { createManualClock } from '../support/time/manual-clock.ts';

const folder = await useFolder();
const server = await startS3(path.join(folder, 'objects'));
afterAll(() => server[Symbol.asyncDispose]());
const undo = useUndo();
let count = 0;

/** In a data folder of its own. */
function configured(env: Readonly<Record<string, string>>): { stores: Stores; mediaDir: string } {
  count += 1;
  const config = loadConfig({ OUTRIDER_DATA_DIR: path.join(folder, `data-${count}`), ...env });
  const stores = openStores(config, createSecrets(config.secrets));
  undo.push(() => stores[Symbol.asyncDispose]());
  return { stores, mediaDir: config.mediaDir };
}

const bucket = {
  OUTRIDER_S3_ENDPOINT: server.url,
  OUTRIDER_S3_BUCKET: bucketName,
  OUTRIDER_S3_ACCESS_KEY_ID: accessKeyId,
  OUTRIDER_S3_SECRET_KEY_REF: 'env:S3_SECRET_KEY',
  S3_SECRET_KEY: secretKey,
};
const limit = { maxBytes: 100 };

describe('media and raw payloads', () => {
  it('are in the data folder when nothing else is configured', async () => {
    const { stores, mediaDir } = configured({});
    const media = await stores.media.put(chunks('picture'), limit);
    const payload = await stores.payloads.put(chunks('answer'), limit);
    expect(await contents(folderStore(mediaDir), media.originUrl)).toBe('picture');
    const beside = folderStore(path.join(mediaDir, 'payloads'));
    expect(await contents(beside, payload.originUrl)).toBe('answer');
  });

  it('are in the configured bucket, each under a prefix of its own', async () => {
    const { stores, mediaDir } = configured({ ...bucket, OUTRIDER_S3_PREFIX: 'of/one' });
    const media = await stores.media.put(chunks('picture'), limit);
    const payload = await stores.payloads.put(chunks('answer'), limit);
    const place = (originUrl: string): string => originUrl.slice('s3:'.length);
    expect((await server.keys()).toSorted()).toEqual([
      `of/one/media/${place(media.originUrl)}`,
      `of/one/payloads/${place(payload.originUrl)}`,
    ]);
    expect(await readdir(path.join(mediaDir, 'incoming'))).toEqual([]);
  });

  it('that were in the folder before are still found there, and new ones are not put there', async () => {
    const { stores, mediaDir } = configured({ ...bucket, OUTRIDER_S3_PREFIX: 'moved/' });
    const earlier = await folderStore(mediaDir).put(chunks('earlier'), limit);
    const later = await stores.media.put(chunks('later'), limit);
    expect(await contents(stores.media, earlier.originUrl)).toBe('earlier');
    expect(await contents(stores.media, later.originUrl)).toBe('later');
    const listed = await Array.fromAsync(stores.media.list());
    expect(listed.map((each) => each.originUrl)).toEqual([later.originUrl, earlier.originUrl]);
    for (const { originUrl } of listed) {
      await stores.media.setAside(originUrl);
      await stores.media.restore(originUrl);
      await stores.media.setAside(originUrl);
      await stores.media.discard(originUrl);
      expect(await stores.media.open(originUrl)).toBeUndefined();
    }
  });

  it.each([
    [{ OUTRIDER_S3_BUCKET: '' }, 'OUTRIDER_S3_BUCKET is not set'],
    [{ OUTRIDER_S3_ACCESS_KEY_ID: '' }, 'OUTRIDER_S3_ACCESS_KEY_ID is not set'],
    [{ OUTRIDER_S3_SECRET_KEY_REF: '' }, 'OUTRIDER_S3_SECRET_KEY_REF is not set'],
  ])('are refused a place that is named in part: %j', (missing, message) => {
    expect(() => configured({ ...bucket, ...missing })).toThrow(message);
  });

  it.each([
    ['OUTRIDER_S3_PREFIX', '/from the root', 'OUTRIDER_S3_PREFIX must be up to 200 letters'],
    ['OUTRIDER_S3_ENDPOINT', 'storage', 'OUTRIDER_S3_ENDPOINT must be an http'],
    ['OUTRIDER_S3_FORCE_PATH_STYLE', 'yes', 'OUTRIDER_S3_FORCE_PATH_STYLE must be one of'],
  ])('are refused a place that cannot be read: %s=%s', (name, value, message) => {
    expect(() => configured({ ...bucket, [name]: value })).toThrow(message);
  });
});

describe('a process whose bucket refuses writes', () => {
  it('says so with its signs of life, and no more when the bucket takes them again', async () => {
    const { stores, mediaDir } = configured({ ...bucket, OUTRIDER_S3_PREFIX: 'facts' });
    const clock = createManualClock();
    const facts = createStoreFacts({
      clock,
      dataDir: mediaDir,
      prepare: () => stores.media.prepare(),
      freeSpace: async () => ({ freeBytes: 2 ** 40, totalBytes: 2 ** 41 }),
    });
    expect(await facts()).toEqual({});
    await server.stop();
    clock.advance(60_000);
    expect(await facts()).toEqual({
      store_refuses: expect.stringMatching(/^media cannot be kept in the bucket "pictures" at 127/),
    });
    await server.startAgain();
    clock.advance(60_000);
    expect(await facts()).toEqual({});
  });
});
