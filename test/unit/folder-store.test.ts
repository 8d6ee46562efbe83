import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentTypeOf } from '../../src/media/content-type.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import { type OriginStore, StoreAwayError, TooLargeError } from '../../src/media/origin-store.ts';

let folder: string;
let store: OriginStore;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-store-'));
  store = folderStore(folder);
});
afterEach(() => rm(folder, { recursive: true }));

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text, 'latin1');
}

async function contents(originUrl: string): Promise<string> {
  const read: Uint8Array[] = [];
  const stream = await store.open(originUrl);
  if (stream === undefined) throw new Error('the bytes are gone');
  for await (const chunk of stream) read.push(chunk);
  return Buffer.concat(read).toString('latin1');
}

async function files(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

const large = { maxBytes: 1000 };

describe('the folder store', () => {
  it('gives back the bytes that were put in, under their hash and type', async () => {
    const blob = await store.put(chunks('\x89PNG\r', '\n\x1a\n', 'more'), large);
    expect(blob).toMatchObject({ sizeBytes: 12, contentType: 'image/png' });
    expect(blob.blobRef).toBe(`sha256:${blob.sha256}`);
    expect(await contents(blob.originUrl)).toBe('\x89PNG\r\n\x1a\nmore');
  });

  it('keeps the same bytes once, however they are cut', async () => {
    const one = await store.put(chunks('abc', 'def'), large);
    const other = await store.put(chunks('a', 'bcdef'), large);
    expect(other).toEqual(one);
    expect(await files()).toHaveLength(1);
  });

  it('takes what is just small enough, and keeps nothing of what is larger', async () => {
    expect((await store.put(chunks('12345'), { maxBytes: 5 })).sizeBytes).toBe(5);
    await expect(store.put(chunks('123', '456'), { maxBytes: 5 })).rejects.toThrow(TooLargeError);
    expect(await files()).toHaveLength(1);
  });

  it('makes its folder ahead, however deep it lies', async () => {
    const deep = path.join(folder, 'data', 'media');
    await folderStore(deep).prepare();
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
  ])('says which folder cannot be used: one %s', async (_title, folderOf, reason) => {
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

  it('keeps nothing of a source that fails', async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('the line is dead');
    };
    await expect(store.put(failing(), large)).rejects.toThrow('the line is dead');
    expect(await files()).toEqual([]);
  });

  it('says that a blob is missing, also when an address leads elsewhere', async () => {
    const { originUrl } = await store.put(chunks('abc'), large);
    await store.remove(originUrl);
    await store.remove(originUrl);
    for (const address of [originUrl, 'folder:../../etc/passwd', 'file:///etc/passwd', '']) {
      expect(await store.open(address)).toBeUndefined();
    }
  });

  it('does not take a folder that is away for one that has lost a blob', async () => {
    const { originUrl } = await store.put(chunks('abc'), large);
    await rename(folder, `${folder}-away`);
    await expect(store.open(originUrl)).rejects.toThrow('ENOENT');
    // The mount point without its disk.
    await mkdir(folder);
    await expect(store.open(originUrl)).rejects.toThrow('ENOENT');
    await rm(folder, { recursive: true });
    await rename(`${folder}-away`, folder);
    expect(await contents(originUrl)).toBe('abc');
  });

  it('does not take a blob that cannot be reached for one that is lost', async () => {
    const { originUrl } = await store.put(chunks('abc'), large);
    const shelf = path.join(folder, originUrl.slice('folder:'.length, 'folder:'.length + 2));
    await rm(shelf, { recursive: true });
    await writeFile(shelf, 'not a folder');
    await expect(store.open(originUrl)).rejects.toThrow('ENOTDIR');
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
