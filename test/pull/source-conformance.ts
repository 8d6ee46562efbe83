// The suite that every kind of source passes. What the source holds decides, not what the reader says.

import { describe, expect, it } from 'vitest';
import { Post } from '../../src/ingest/post-schema.ts';
import type { Chunk, Cursor, Source } from '../../src/pull/source.ts';
import { SourceError } from '../../src/pull/source-error.ts';

export interface SourceHarness {
  readonly title: string;
  /** A source that holds so many items, the titles of which are "Item 1", "Item 2" and so on, oldest first. */
  stage(count: number): Promise<SourceStage>;
}

export interface SourceStage extends AsyncDisposable {
  /** Opens it anew, as another process would. The stage closes it. */
  open(): Source;
  /** Adds the next item. */
  add(): Promise<void>;
  /** Everything that the source holds. */
  contents(): Promise<unknown>;
  /** From here on the source takes calls and does not answer. Resolves when it has been called. */
  hang(): Promise<void>;
  /** What must not show in an error. */
  readonly secrets: readonly string[];
  /** From here on nobody is where the source was. */
  leave(): Promise<void>;
}

interface LookOptions {
  readonly cursor?: Cursor;
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

function lookAt(source: Source, options: LookOptions = {}): Promise<Chunk> {
  const { cursor = {}, limit = 100, signal = new AbortController().signal } = options;
  // As the database keeps it.
  const kept: Cursor = JSON.parse(JSON.stringify(cursor));
  return source.look({ cursor: kept, limit, signal, beforeCall: async () => undefined });
}

/** All chunks after a cursor, until there is no more. */
async function lookThrough(source: Source, options: LookOptions): Promise<Chunk[]> {
  const chunks = [await lookAt(source, options)];
  for (let last = chunks.at(-1); last?.hasMore === true; last = chunks.at(-1)) {
    chunks.push(await lookAt(source, { ...options, cursor: last.cursor }));
    if (chunks.length > 100) throw new Error('there is no end of it');
  }
  return chunks;
}

function titlesOf(...chunks: readonly Chunk[]): unknown[] {
  return chunks.flatMap(({ items }) => items.map(({ post }) => post.title));
}

function titles(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `Item ${from + index}`);
}

export function describeSource(harness: SourceHarness): void {
  describe(`a source of kind ${harness.title}`, () => {
    it('hands out everything once, the oldest first, in chunks within the limit', async () => {
      await using stage = await harness.stage(7);
      const chunks = await lookThrough(stage.open(), { limit: 3 });
      expect(titlesOf(...chunks)).toEqual(titles(1, 7));
      for (const { items } of chunks) expect(items.length).toBeLessThanOrEqual(3);
    });

    it('goes on where another process has stopped', async () => {
      await using stage = await harness.stage(7);
      const first = await lookAt(stage.open(), { limit: 3 });
      expect(first.hasMore).toBe(true);
      const rest = await lookThrough(stage.open(), { limit: 3, cursor: first.cursor });
      expect(titlesOf(first, ...rest)).toEqual(titles(1, 7));
    });

    it('brings a chunk again that was not taken in', async () => {
      await using stage = await harness.stage(5);
      const source = stage.open();
      const first = await lookAt(source, { limit: 3 });
      expect(await lookAt(source, { limit: 3 })).toEqual(first);
      expect(await lookAt(stage.open(), { limit: 3 })).toEqual(first);
      const second = await lookAt(source, { limit: 3, cursor: first.cursor });
      const { items, hasMore } = await lookAt(stage.open(), { limit: 3, cursor: first.cursor });
      expect({ items, hasMore }).toEqual({ items: second.items, hasMore: second.hasMore });
    });

    it('brings what is new, and nothing when nothing is', async () => {
      await using stage = await harness.stage(4);
      const taken = (await lookThrough(stage.open(), {})).at(-1);
      const quiet = await lookAt(stage.open(), taken);
      expect(quiet).toMatchObject({ items: [], hasMore: false });
      await stage.add();
      await stage.add();
      const fresh = await lookThrough(stage.open(), { cursor: quiet.cursor });
      expect(titlesOf(...fresh)).toEqual(titles(5, 6));
    });

    it('waits for the first item', async () => {
      await using stage = await harness.stage(0);
      const empty = await lookAt(stage.open());
      expect(empty).toMatchObject({ items: [], hasMore: false });
      await stage.add();
      expect(titlesOf(await lookAt(stage.open(), empty))).toEqual(['Item 1']);
    });

    it('names each item as its own, at most 512 bytes long, and hands in posts that intake takes', async () => {
      await using stage = await harness.stage(5);
      const { items, cursor } = await lookAt(stage.open());
      expect(new Set(items.map(({ itemRef }) => itemRef)).size).toBe(5);
      for (const { itemRef, post } of items) {
        expect(Buffer.byteLength(itemRef)).toBeLessThanOrEqual(512);
        expect(itemRef).not.toBe('');
        expect(Post.safeParse(post)).toMatchObject({ success: true });
        expect(post.source_ref).toBe(itemRef);
      }
      expect(Buffer.byteLength(JSON.stringify(cursor))).toBeLessThan(65_536);
    });

    it('changes nothing at the source', async () => {
      await using stage = await harness.stage(3);
      const before = await stage.contents();
      await lookThrough(stage.open(), { limit: 2 });
      expect(await stage.contents()).toEqual(before);
    });

    it('ends a look that is told to stop', async () => {
      await using stage = await harness.stage(3);
      const isCalled = stage.hang();
      const stopping = new AbortController();
      const looking = lookAt(stage.open(), { signal: stopping.signal });
      await isCalled;
      stopping.abort();
      await expect(looking).rejects.toBeInstanceOf(SourceError);
      const late = lookAt(stage.open(), { signal: AbortSignal.abort() });
      await expect(late).rejects.toBeInstanceOf(SourceError);
    });

    it('says in words that the source is away, without its secrets', async () => {
      await using stage = await harness.stage(3);
      await stage.leave();
      const error = await lookAt(stage.open()).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SourceError);
      const { message, hint = '' } = error instanceof SourceError ? error : { message: '' };
      expect(message).toMatch(/\w+ \w+/);
      for (const secret of stage.secrets) expect(`${message} ${hint}`).not.toContain(secret);
    });
  });
}
