import { mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentTypeOf } from '../../src/media/content-type.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import { type OriginStore, StoreAwayError } from '../../src/media/origin-store.ts';
import { chunks, contents, describeStore } from './store-conformance.ts';

let folder: string;
let store: OriginStore;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-store-'));
  store = folderStore(folder);
});
afterEach(() => rm(folder, { recursive: true }));

async function files(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

async function age(ageMs: number): Promise<void> {
  const then = new Date(Date.now() - ageMs);
  for (const file of await files()) await utimes(file, then, then);
}

const large = { maxBytes: 1000 };

describeStore({
  title: 'a folder',
  scheme: 'folder:',
  open: async () => ({
    store,
    count: async () => (await files()).length,
    age,
    async takeAway() {
      await rename(folder, `${folder}-away`);
      // Nothing can be made where a file stands.
      await writeFile(folder, '');
      return async () => {
        await rm(folder);
        await rename(`${folder}-away`, folder);
      };
    },
  }),
});

describe('the folder of a store', () => {
  it('is made ahead, however deep it lies', async () => {
    const deep = path.join(folder, 'data', 'media');
    await folderStore(deep).prepare();
    expect(await readdir(deep)).toEqual(['incoming']);
  });

  it.each([
    [
      'below a file',
      () => path.join(folder, 'file', 'media'),
      'there is a file where a folder must be (EEXIST)',
    ],
    [
      'where none can be made',
      () => '/proc/outrider/media',
      'the folder is not there and cannot be made (ENOENT)',
    ],
  ])('is named when it cannot be used: one %s', async (_title, folderOf, reason) => {
    await writeFile(path.join(folder, 'file'), '');
    const away = folderStore(folderOf());
    for (const ask of [() => away.prepare(), () => away.put(chunks('abc'), large)]) {
      await expect(ask()).rejects.toThrow(StoreAwayError);
      await expect(ask()).rejects.toMatchObject({
        message: `media cannot be kept in ${folderOf()}: ${reason}`,
        hint: expect.stringContaining('OUTRIDER_DATA_DIR'),
      });
    }
  });

  it('is not taken for one that has lost a blob while its disk is away', async () => {
    const { originUrl } = await store.put(chunks('abc'), large);
    await rename(folder, `${folder}-away`);
    // The mount point without its disk.
    await mkdir(folder);
    await expect(store.open(originUrl)).rejects.toThrow('ENOENT');
    expect(await Array.fromAsync(store.list())).toEqual([]);
    await rm(folder, { recursive: true });
    await rename(`${folder}-away`, folder);
    expect(await contents(store, originUrl)).toBe('abc');
  });

  it('is not taken for one that has lost a blob that cannot be reached', async () => {
    const { originUrl } = await store.put(chunks('abc'), large);
    const shelf = path.join(folder, originUrl.slice('folder:'.length, 'folder:'.length + 2));
    await rm(shelf, { recursive: true });
    await writeFile(shelf, 'not a folder');
    await expect(store.open(originUrl)).rejects.toThrow('ENOTDIR');
  });

  it('is cleared of drafts that are a day old, and of nothing else', async () => {
    await store.put(chunks('abc'), large);
    await writeFile(path.join(folder, 'incoming', 'left-by-a-crash'), 'half');
    await age(25 * 3_600_000);
    await writeFile(path.join(folder, 'incoming', 'under-way'), 'half');
    await store.prepare();
    expect((await files()).map((file) => path.basename(file)).toSorted()).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      'under-way',
    ]);
  });
});

describe('the type of a medium', () => {
  it.each([
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF89a'],
    ['image/webp', 'RIFF\0\0\0\0WEBP'],
    ['audio/wav', 'RIFF\0\0\0\0WAVE'],
    ['video/mp4', '\0\0\0\x18ftypisom'],
    ['image/heic', '\0\0\0\x18ftypheic'],
    ['application/pdf', '%PDF-1.7'],
    ['application/octet-stream', 'plain text'],
    ['application/octet-stream', ''],
  ])('%s is told by its first bytes', (type, head) => {
    expect(contentTypeOf(Buffer.from(head, 'latin1'))).toBe(type);
  });
});
