import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type CollectOptions, collectBytes } from '../../src/media/collect.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import type { OriginStore } from '../../src/media/origin-store.ts';
import { s3Store } from '../../src/media/s3-store.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { startS3 } from '../support/http/s3-server.ts';
import { chunks, contents } from './store-conformance.ts';

const folder = await useFolder();
const server = await startS3(path.join(folder, 'objects'));
afterAll(() => server[Symbol.asyncDispose]());

const hourMs = 3_600_000;
const nothing = { removed: 0, setAside: 0, restored: 0 };

interface Aged {
  readonly store: OriginStore;
  readonly age: (ageMs: number) => Promise<void>;
}

async function inFolder(): Promise<Aged> {
  const own = await mkdtemp(path.join(folder, 'store-'));
  return {
    store: folderStore(own),
    async age(ageMs) {
      const then = new Date(Date.now() - ageMs);
      for (const entry of await readdir(own, { recursive: true, withFileTypes: true })) {
        if (entry.isFile()) await utimes(path.join(entry.parentPath, entry.name), then, then);
      }
    },
  };
}

let buckets = 0;

async function inBucket(): Promise<Aged> {
  buckets += 1;
  const prefix = `case-${buckets}/`;
  const drafts = path.join(folder, 'drafts');
  const store = s3Store({ bucket: server.bucket({ pageSize: 3 }), prefix, drafts });
  return { store, age: (ageMs) => server.age(ageMs) };
}

describe.each([
  { where: 'a folder', open: inFolder },
  { where: 'a bucket', open: inBucket },
])('the collection in $where', ({ open }) => {
  let store: OriginStore;
  let age: Aged['age'];
  let rows: Set<string>;

  beforeEach(async () => {
    ({ store, age } = await open());
    rows = new Set();
  });

  async function put(text: string): Promise<string> {
    return (await store.put(chunks(text), { maxBytes: 1000 })).originUrl;
  }

  const collect = (options: Partial<CollectOptions> = {}) =>
    collectBytes({ store, named: async () => rows, ...options });

  it('removes what no row names, in two steps that are an hour apart', async () => {
    const [kept, gone] = [await put('kept'), await put('gone')];
    rows.add(kept);
    await age(hourMs);
    expect(await collect()).toEqual({ ...nothing, setAside: 1 });
    expect(await contents(store, gone)).toBe('gone');
    expect(await collect()).toEqual(nothing);
    await age(hourMs);
    expect(await collect()).toEqual({ ...nothing, removed: 1 });
    expect(await store.open(gone)).toBeUndefined();
    expect(await contents(store, kept)).toBe('kept');
    expect(await collect()).toEqual(nothing);
  });

  it('leaves what is younger than an hour: its row may be on the way', async () => {
    await put('young');
    expect(await collect()).toEqual(nothing);
    await age(hourMs - 10_000);
    expect(await collect()).toEqual(nothing);
  });

  it('restores what is named again', async () => {
    const address = await put('again');
    await age(hourMs);
    await collect();
    rows.add(address);
    await age(hourMs);
    expect(await collect()).toEqual({ ...nothing, restored: 1 });
    expect(await contents(store, address)).toBe('again');
    expect(await collect()).toEqual(nothing);
  });

  it('loses nothing that is put, and named a moment later, while it is judged', async () => {
    const address = await put('raced');
    await age(hourMs);
    const racing: OriginStore = {
      ...store,
      async setAside(originUrl) {
        await put('raced');
        await store.setAside(originUrl);
      },
      async discard(originUrl) {
        await put('raced');
        await store.discard(originUrl);
      },
    };
    await collect({ store: racing });
    expect(await contents(store, address)).toBe('raced');
    await age(hourMs);
    await collect({ store: racing });
    rows.add(address);
    expect(await contents(store, address)).toBe('raced');
  });

  it('only counts in a dry run', async () => {
    const address = await put('gone');
    await age(hourMs);
    expect(await collect({ dryRun: true })).toEqual({ ...nothing, setAside: 1 });
    await store.setAside(address);
    await age(hourMs);
    expect(await collect({ dryRun: true })).toEqual({ ...nothing, removed: 1 });
    expect(await contents(store, address)).toBe('gone');
  });

  it('ends between batches when it must stop', async () => {
    await put('gone');
    await age(hourMs);
    expect(await collect({ isOver: () => true })).toEqual(nothing);
  });

  it('asks about every file once, however many there are', async () => {
    const addresses: string[] = [];
    for (let n = 0; n < 8; n += 1) addresses.push(await put(`file ${n}`));
    await age(hourMs);
    const asked: string[] = [];
    const named = async (urls: readonly string[]) => {
      asked.push(...urls);
      return new Set(urls);
    };
    expect(await collect({ named })).toEqual(nothing);
    expect(asked.toSorted()).toEqual(addresses.toSorted());
  });
});

it('leaves a folder alone whose disk is away', async () => {
  const away = path.join(folder, 'away');
  const store = folderStore(away);
  await store.put(chunks('abc'), { maxBytes: 10 });
  await rm(away, { recursive: true });
  const named = async () => new Set<string>();
  expect(await collectBytes({ store, named, minAgeMs: 0 })).toEqual(nothing);
});
