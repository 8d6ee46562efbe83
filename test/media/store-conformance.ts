// What every origin store does, whatever it is made of.

import { beforeEach, describe, expect, it } from 'vitest';
import { type OriginStore, StoreAwayError, TooLargeError } from '../../src/media/origin-store.ts';

export interface StoreHarness {
  readonly title: string;
  /** How its addresses begin. */
  readonly scheme: string;
  /** An empty store. */
  open(): Promise<OpenedStore>;
}

export interface OpenedStore {
  readonly store: OriginStore;
  /** How many files or objects it holds in all, drafts included. */
  count(): Promise<number>;
  /** Makes everything in it look as if it had been written so long ago. */
  age(ageMs: number): Promise<void>;
  /** Takes the store away as a whole; answers with what brings it back. */
  takeAway(): Promise<() => Promise<void>>;
}

export async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text, 'latin1');
}

export async function contents(store: OriginStore, originUrl: string): Promise<string> {
  const read: Uint8Array[] = [];
  const stream = await store.open(originUrl);
  if (stream === undefined) throw new Error('the bytes are gone');
  for await (const chunk of stream) read.push(chunk);
  return Buffer.concat(read).toString('latin1');
}

const large = { maxBytes: 1000 };
const hourMs = 3_600_000;

export function describeStore(harness: StoreHarness): void {
  describe(`the store in ${harness.title}`, () => {
    let opened: OpenedStore;
    let store: OriginStore;

    beforeEach(async () => {
      opened = await harness.open();
      ({ store } = opened);
    });

    const put = (...texts: string[]) => store.put(chunks(...texts), large);

    async function listed() {
      const all = await Array.fromAsync(store.list());
      return all.toSorted((one, other) => (one.originUrl < other.originUrl ? -1 : 1));
    }

    it('gives back the bytes that were put in, under their hash and type', async () => {
      const blob = await put('\x89PNG\r', '\n\x1a\n', 'more');
      expect(blob).toMatchObject({ sizeBytes: 12, contentType: 'image/png' });
      expect(blob.blobRef).toBe(`sha256:${blob.sha256}`);
      expect(blob.originUrl).toBe(`${harness.scheme}${blob.sha256.slice(0, 2)}/${blob.sha256}`);
      expect(await contents(store, blob.originUrl)).toBe('\x89PNG\r\n\x1a\nmore');
    });

    it('keeps the same bytes once, however they are cut', async () => {
      const one = await put('abc', 'def');
      expect(await put('a', 'bcdef')).toEqual(one);
      expect(await opened.count()).toBe(1);
    });

    it('keeps a file of many megabytes, and one of none', async () => {
      const mebibyte = Buffer.alloc(1024 * 1024, 'bytes of a film ');
      const film = async function* (): AsyncGenerator<Uint8Array> {
        for (let n = 0; n < 12; n += 1) yield mebibyte;
      };
      const { originUrl, sizeBytes } = await store.put(film(), { maxBytes: 2 ** 30 });
      expect(sizeBytes).toBe(12 * mebibyte.byteLength);
      let read = 0;
      for await (const chunk of (await store.open(originUrl)) ?? []) read += chunk.byteLength;
      expect(read).toBe(sizeBytes);
      expect(await contents(store, (await put()).originUrl)).toBe('');
    });

    it('takes what is just small enough, and keeps nothing of what is larger', async () => {
      expect((await store.put(chunks('12345'), { maxBytes: 5 })).sizeBytes).toBe(5);
      await expect(store.put(chunks('123', '456'), { maxBytes: 5 })).rejects.toThrow(TooLargeError);
      expect(await opened.count()).toBe(1);
    });

    it('keeps nothing of a source that fails', async () => {
      const failing = async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.from('half');
        throw new Error('the line is dead');
      };
      await expect(store.put(failing(), large)).rejects.toThrow('the line is dead');
      expect(await opened.count()).toBe(0);
    });

    it('says that a blob is missing, also when an address leads elsewhere', async () => {
      const { originUrl } = await put('abc');
      await store.remove(originUrl);
      await store.remove(originUrl);
      const elsewhere = ['../../etc/passwd', `aa/${'b'.repeat(64)}`, `zz/${'z'.repeat(64)}`, ''];
      const others = ['file:///etc/passwd', 's3://bucket/key', ''];
      for (const address of [originUrl, ...elsewhere.map((e) => harness.scheme + e), ...others]) {
        expect(await store.open(address)).toBeUndefined();
        await store.remove(address);
        await store.setAside(address);
        await store.restore(address);
        await store.discard(address);
      }
    });

    it('can be prepared again and again', async () => {
      await store.prepare();
      await store.prepare();
      expect(await listed()).toEqual([]);
    });

    it('says why it takes nothing while it is away', async () => {
      const back = await opened.takeAway();
      for (const ask of [() => store.prepare(), () => put('abc')]) {
        const refused = await ask().catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(StoreAwayError);
        expect(refused).toMatchObject({
          message: expect.stringMatching(/^media cannot be kept in .+: .+ \([\w ]+\)$/),
          hint: expect.stringMatching(/OUTRIDER_\w+/),
        });
      }
      await back();
      await put('abc');
    });

    it('does not take a store that is away for one that has lost a blob', async () => {
      const { originUrl } = await put('abc');
      const back = await opened.takeAway();
      await expect(store.open(originUrl)).rejects.toThrow(/E[A-Z]+/);
      await back();
      expect(await contents(store, originUrl)).toBe('abc');
    });

    it('lists what it holds, with size and age', async () => {
      expect(await listed()).toEqual([]);
      const blobs = [await put('abc'), await put('defgh'), await put('i')];
      await opened.age(hourMs);
      const young = await put('young');
      const expected = [...blobs, young].map(({ originUrl, sizeBytes }) => ({
        originUrl,
        sizeBytes,
        ageMs: expect.any(Number),
        isAside: false,
      }));
      const found = await listed();
      expect(found).toEqual(expected.toSorted((a, b) => (a.originUrl < b.originUrl ? -1 : 1)));
      // Servers tell the time in whole seconds.
      for (const { originUrl, ageMs } of found) {
        const [least, most] =
          originUrl === young.originUrl ? [-2000, 300_000] : [hourMs - 2000, 2 * hourMs];
        expect(ageMs).toBeGreaterThanOrEqual(least);
        expect(ageMs).toBeLessThan(most);
      }
    });

    it('still finds a blob that was set aside, as young as if it had just come', async () => {
      const { originUrl } = await put('abc');
      await opened.age(hourMs);
      await store.setAside(originUrl);
      await store.setAside(originUrl);
      expect(await contents(store, originUrl)).toBe('abc');
      const [aside, ...others] = await listed();
      expect(aside).toMatchObject({ originUrl, isAside: true });
      expect(aside?.ageMs).toBeLessThan(hourMs / 2);
      expect(others).toEqual([]);
      await store.restore(originUrl);
      await store.restore(originUrl);
      expect(await contents(store, originUrl)).toBe('abc');
      expect(await listed()).toMatchObject([{ originUrl, isAside: false }]);
    });

    it('discards what was set aside, and not what was put there since', async () => {
      const { originUrl } = await put('abc');
      await store.discard(originUrl);
      expect(await contents(store, originUrl)).toBe('abc');
      await store.setAside(originUrl);
      await put('abc');
      await store.discard(originUrl);
      expect(await contents(store, originUrl)).toBe('abc');
      await store.setAside(originUrl);
      await store.discard(originUrl);
      expect(await store.open(originUrl)).toBeUndefined();
      expect(await opened.count()).toBe(0);
    });

    it('removes a blob also where it was set aside', async () => {
      const { originUrl } = await put('abc');
      await store.setAside(originUrl);
      await store.remove(originUrl);
      expect(await opened.count()).toBe(0);
    });
  });
}
