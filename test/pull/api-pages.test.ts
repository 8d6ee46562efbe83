import { describe, expect, it } from 'vitest';
import { api } from '../../src/pull/kinds/api.ts';
import type { Cursor } from '../../src/pull/source.ts';
import { startOrigin } from '../support/http/media-origins.ts';
import { firstLook, means } from '../support/pull/source-means.ts';

type Paging = Readonly<Record<string, unknown>>;

/** An API with a list of numbers, oldest first, that a test changes. It gives `most` at once. */
async function startList(
  keys: Readonly<Record<string, unknown>> & { readonly paging: Paging },
  most = Infinity,
) {
  const newestFirst = keys['order'] !== 'oldest_first';
  const asks = Number(keys.paging['size'] ?? 2);
  const size = Math.min(asks, most);
  let missing = 200;
  let asked = 0;
  const list = { items: [] as number[] };
  const origin = await startOrigin(({ url = '' }, response) => {
    asked += 1;
    const { searchParams } = new URL(url, 'http://api');
    const page = Number(searchParams.get('page') ?? 1);
    const start = Number(searchParams.get('offset') ?? (page - 1) * size);
    const shown = newestFirst ? list.items.toReversed() : list.items;
    const items = shown.slice(start, start + size).map((id) => ({ id, t: `t${id}` }));
    if (items.length === 0 && start > 0) response.statusCode = missing;
    response.end(JSON.stringify(items));
  });
  const config = api.keys.parse({
    url: `${origin.url}/posts`,
    map: { item_ref: 'id', text: 't' },
    ...keys,
    paging: { size: asks, ...keys.paging },
  });
  return {
    list,
    missing: (status: number) => {
      missing = status;
    },
    asked: () => asked,
    /** What a pull brings, each look from a source that was opened anew. */
    async pull(cursor: Cursor, { limit = 100, looks = 50 } = {}) {
      const refs: number[] = [];
      let at = cursor;
      let lost: string | undefined;
      let hasMore = true;
      for (let count = 0; hasMore && count < looks; count += 1) {
        const source = api.open(config, means());
        const chunk = await source.look(firstLook({ cursor: at, limit }));
        await source.close();
        refs.push(...chunk.items.map(({ itemRef }) => Number(itemRef)));
        lost ??= chunk.lost;
        ({ cursor: at, hasMore } = chunk);
      }
      return { refs, cursor: at, lost, hasMore };
    },
    [Symbol.asyncDispose]: () => origin[Symbol.asyncDispose](),
  };
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, n) => from + n);
}

function sorted(refs: readonly number[]): number[] {
  return [...new Set(refs)].toSorted((a, b) => a - b);
}

describe('a list with the newest items first', () => {
  it('brings the newest pages at the first look, and no more', async () => {
    await using at = await startList({ paging: { by: 'page' }, max_pages: 3 });
    at.list.items = numbers(1, 10);
    expect((await at.pull({})).refs).toEqual(numbers(5, 10));
  });

  it.each([
    ['page', 100],
    ['offset', 100],
    ['page', 5],
    ['offset', 1],
  ])(
    'brings all that is new although it is on more pages than one look reads: by %s, %i at once',
    async (by, limit) => {
      await using at = await startList({ paging: { by }, max_pages: 3 });
      at.list.items = numbers(1, 10);
      const { cursor } = await at.pull({}, { limit });
      at.list.items = numbers(1, 31);
      const later = await at.pull(cursor, { limit, looks: 200 });
      expect(sorted(later.refs)).toEqual(numbers(11, 31));
      expect(await at.pull(later.cursor)).toMatchObject({ refs: [], lost: undefined });
      at.list.items = numbers(1, 32);
      expect((await at.pull(later.cursor)).refs).toEqual([32]);
    },
  );

  it('brings what is new while it goes on with older items, and what moves to earlier pages', async () => {
    await using at = await startList({ paging: { by: 'page' }, max_pages: 2 });
    at.list.items = numbers(1, 10);
    const first = await at.pull({});
    at.list.items = numbers(1, 30);
    const some = await at.pull(first.cursor, { looks: 2 });
    expect(some.hasMore).toBe(true);
    at.list.items = numbers(1, 37);
    const more = await at.pull(some.cursor, { looks: 2 });
    at.list.items = numbers(1, 37).filter((id) => id < 22 || id > 29);
    const rest = await at.pull(more.cursor, { looks: 200 });
    expect(sorted([...some.refs, ...more.refs, ...rest.refs])).toEqual(
      expect.arrayContaining([...numbers(11, 21), ...numbers(30, 37)]),
    );
    expect(rest.lost).toBeUndefined();
  });

  it('says what it passes over when more is new than it can follow', async () => {
    await using at = await startList({ paging: { by: 'page', size: 500 }, max_pages: 2 });
    at.list.items = numbers(1, 500);
    const { cursor } = await at.pull({});
    at.list.items = numbers(1, 6000);
    const later = await at.pull(cursor, { limit: 1000, looks: 200 });
    expect(later.lost).toMatch(
      /^more is new than can be followed \(\d+ items since what was known/,
    );
    expect(sorted(later.refs)).toEqual(numbers(6001 - later.refs.length, 6000));
    expect((await at.pull(later.cursor)).refs).toEqual([]);
  });

  it('comes to its end when the API does not know the parameter', async () => {
    await using at = await startList({ paging: { by: 'page', param: 'p' }, max_pages: 3 });
    at.list.items = [1, 2];
    const { cursor } = await at.pull({});
    at.list.items = [3, 4];
    const before = at.asked();
    expect(await at.pull(cursor)).toMatchObject({ refs: [3, 4], hasMore: false, lost: undefined });
    expect(at.asked() - before).toBeLessThan(5);
  });
});

describe('a list with the oldest items first', () => {
  it.each(['page', 'offset'])('skips nothing when earlier items are deleted: by %s', async (by) => {
    await using at = await startList({ paging: { by }, order: 'oldest_first', max_pages: 2 });
    at.list.items = numbers(1, 10);
    const first = await at.pull({});
    expect(first.refs).toEqual(numbers(1, 10));
    at.list.items = numbers(7, 13);
    const second = await at.pull(first.cursor);
    expect(second.refs).toEqual([11, 12, 13]);
    at.list.items = numbers(14, 16);
    expect((await at.pull(second.cursor)).refs).toEqual([14, 15, 16]);
  });
});

describe('a page that is not there', () => {
  it.each([
    ['newest_first', 404],
    ['oldest_first', 404],
    ['newest_first', 400],
    ['oldest_first', 422],
  ])('is the end of the pages: %s, %i', async (order, status) => {
    await using at = await startList({ paging: { by: 'page' }, order });
    at.missing(status);
    at.list.items = numbers(1, 4);
    const first = await at.pull({});
    expect(first.refs).toEqual(numbers(1, 4));
    expect((await at.pull(first.cursor)).refs).toEqual([]);
    at.list.items = numbers(1, 5);
    expect((await at.pull(first.cursor)).refs).toEqual([5]);
  });

  it('is an error where it may be the parameter that the API does not take', async () => {
    await using at = await startList({ paging: { by: 'offset' } });
    at.missing(400);
    at.list.items = numbers(1, 4);
    await expect(at.pull({})).rejects.toThrow('answered 400');
  });

  it('is an error when it is the first one', async () => {
    await using origin = await startOrigin((_request, response) => {
      response.writeHead(404).end();
    });
    const paging = { by: 'page', size: 2 };
    const config = api.keys.parse({ url: origin.url, map: { item_ref: 'id' }, paging });
    const source = api.open(config, means());
    await expect(source.look(firstLook({}))).rejects.toThrow('404');
    await source.close();
  });
});

describe('the size of a page', () => {
  it.each([
    ['page', 'newest_first'],
    ['offset', 'oldest_first'],
  ])('that the API does not give is told at the first look: by %s, %s', async (by, order) => {
    await using at = await startList({ paging: { by, size: 5 }, order }, 2);
    at.list.items = numbers(1, 4);
    await expect(at.pull({})).rejects.toThrow('a page has 2 items, and size in paging says 5');
  });

  it.each([200, 404, 400, 500])('is not missed where nothing follows: %i', async (status) => {
    await using at = await startList({ paging: { by: 'offset', size: 5 } });
    at.missing(status);
    at.list.items = numbers(1, 4);
    const first = await at.pull({});
    expect([first.refs, at.asked()]).toEqual([numbers(1, 4), 2]);
    await at.pull(first.cursor);
    expect(at.asked()).toBe(3);
  });
});

describe('the name of a version', () => {
  it.each([
    ['is kept', 1000, true],
    ['is not kept when it is longer than a cursor has room for', 1001, false],
  ])('%s', async (_, length, isKept) => {
    await using origin = await startOrigin((_request, response) => {
      response.setHeader('etag', 'e'.repeat(length)).end('[{"id": 1}]');
    });
    const config = api.keys.parse({ url: origin.url, map: { item_ref: 'id' } });
    const source = api.open(config, means());
    const { cursor } = await source.look(firstLook({}));
    await source.close();
    expect('etag' in cursor).toBe(isKept);
  });
});
